import { createRequire } from 'node:module'
import { ns } from './saml-names.ts'

const require = createRequire(import.meta.url)

// Loaded with the first signature, since most deployments receive none for long.
const loadCanonicalization = () => import('xml-crypto')
// The types of the package would declare the globals of browsers for the whole program.
const loadDom = (): Dom => require('@xmldom/xmldom')

interface Dom {
  DOMParser: new (options: {
    errorHandler(level: string, message: string): never
    normalizeLineEndings(text: string): string
  }) => { parseFromString(text: string, type: 'text/xml'): { documentElement: DomElement } }
}

interface DomElement {
  namespaceURI: string | null
  localName: string
  childNodes: ArrayLike<DomElement>
  removeChild(child: DomElement): void
}

/** Which element of a message is signed: the message itself, or the assertion in a response. */
export type Signed = 'document' | 'assertion'

/** The octets to which a signature refers, as text. */
export interface SignedForms {
  /** The canonical SignedInfo, of which the signature value is made (XML Signature §3.1.2). */
  signedInfo: string
  /** The canonical form of the signed element without its signature. `prefixes`: the PrefixList of the transform. */
  contentOf(prefixes: string[]): string
}

/**
 * Finds the one signature of an element and canonicalizes it (Exclusive XML Canonicalization 1.0, without comments). The
 * strict reader must have accepted the text. Nothing is verified here. Rejects if the element has not exactly one
 * signature, or if the text is not XML.
 */
export async function canonicalizeSigned(text: string, which: Signed): Promise<SignedForms> {
  const { ExclusiveCanonicalization, findAncestorNs } = await loadCanonicalization()
  const { DOMParser } = loadDom()
  const document = new DOMParser({
    errorHandler: (_level, message) => {
      throw new Error(message)
    },
    // The line endings of XML 1.0 §2.11. The default is that of XML 1.1.
    normalizeLineEndings: (source) => source.replace(/\r\n?/g, '\n'),
  }).parseFromString(text, 'text/xml')
  const root = document.documentElement
  const element = which === 'document' ? root : onlyChild(root, ns.assertion, 'Assertion')
  const signature = onlyChild(element, ns.signature, 'Signature')
  const info = onlyChild(signature, ns.signature, 'SignedInfo')
  const place = which === 'document' ? '/*' : pathOf('/*', ns.assertion, 'Assertion')
  const canonicalize = (from: DomElement, path: string, inclusiveNamespacesPrefixList: string[]) =>
    new ExclusiveCanonicalization().process(from, {
      inclusiveNamespacesPrefixList,
      ancestorNamespaces: findAncestorNs(document, path),
    })
  const infoPlace = pathOf(pathOf(place, ns.signature, 'Signature'), ns.signature, 'SignedInfo')
  // Without a list it takes that of the CanonicalizationMethod.
  const signedInfo = canonicalize(info, infoPlace, [])
  // Transform of an enveloped signature (XML Signature §6.6.4).
  element.removeChild(signature)
  return { signedInfo, contentOf: (prefixes) => canonicalize(element, place, prefixes) }
}

function onlyChild(parent: DomElement, namespace: string, name: string): DomElement {
  const fits = (child: DomElement) => child.namespaceURI === namespace && child.localName === name
  const [child, ...more] = Array.from(parent.childNodes).filter(fits)
  if (!child || more.length > 0) throw new Error(`There is not one ${name}`)
  return child
}

function pathOf(parent: string, namespace: string, name: string): string {
  return `${parent}/*[local-name(.)='${name}' and namespace-uri(.)='${namespace}']`
}
