import { createRequire } from 'node:module'
import { ns } from './saml-names.ts'

const require = createRequire(import.meta.url)

// Loaded for the first signature, since many deployments never receive one.
const loadCanonicalization = () => import('xml-crypto')
// Required without types, since the package's types would declare browser globals for the whole program.
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

/** The texts that a signature covers, in canonical form. */
export interface SignedForms {
  /** The canonical SignedInfo, which the signature value is computed from (XML Signature §3.1.2). */
  signedInfo: string
  /** The canonical form of the signed element without its signature. `prefixes` is the PrefixList of the transform. */
  contentOf(prefixes: string[]): string
}

/**
 * Finds the only signature of an element and canonicalizes it (Exclusive XML Canonicalization 1.0, without comments).
 * `readXml` must have accepted the text before. Verifies nothing. Rejects if the element does not have exactly one
 * signature, or if the text is not XML.
 */
export async function canonicalizeSigned(text: string, which: Signed): Promise<SignedForms> {
  const { ExclusiveCanonicalization, findAncestorNs } = await loadCanonicalization()
  const { DOMParser } = loadDom()
  const document = new DOMParser({
    errorHandler: (_level, message) => {
      throw new Error(message)
    },
    // Line endings as in XML 1.0 §2.11. The library's default is XML 1.1.
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
  // With an empty list, the library uses the PrefixList of the CanonicalizationMethod.
  const signedInfo = canonicalize(info, infoPlace, [])
  // The enveloped signature transform (XML Signature §6.6.4).
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
