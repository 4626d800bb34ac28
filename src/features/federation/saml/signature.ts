import { type Message, parseMessage } from '../xml/message.ts'
import { attributeOf, onlyChild, type XmlElement } from '../xml/read.ts'
import { ns } from '../xml/saml-names.ts'
import { signatureOf } from '../xml/signatures.ts'
import { findSigner } from '../xml/signers.ts'
import { SamlRefusal } from './refusal.ts'

// Loaded when the first message comes, since most deployments receive none for long.
const loadLibrary = () => import('@node-saml/node-saml/lib/xml.js')

/** Which element of a message is signed: the message itself, or the assertion in a response. */
export type Signed = 'document' | 'assertion'

/**
 * Verifies the enveloped signature of an element with the given certificates alone, whatever the message says of keys,
 * and returns what was signed: the element as read anew from the canonical bytes whose digest was verified, and these
 * bytes. Nothing else of the message is vouched for. The structure must have been checked. Throws SamlRefusal.
 */
export async function verifySigned(
  text: string,
  which: Signed,
  element: XmlElement,
  certificates: string[],
): Promise<Message> {
  const signature = signatureOf(element)
  const canonical = signature && (await canonicalOf(text, { which, signature }, certificates))
  if (canonical === null)
    throw new SamlRefusal('signature', 'The signature does not fit any certificate of the connection.')
  const signed = parseMessage(canonical)
  const { namespace, name } = signed.root
  const isSame = namespace === element.namespace && name === element.name
  if (!isSame || attributeOf(signed.root, 'ID') !== attributeOf(element, 'ID'))
    throw new SamlRefusal('signature', 'The signature covers something else.')
  return signed
}

/**
 * The canonical bytes of what was signed; null if it was not. The library digests before it verifies, and anew for each
 * certificate: an element as large as is read takes it a second. So whose signature it is comes first, which takes no
 * more than to parse, and nothing is digested that the provider did not sign.
 */
async function canonicalOf(
  text: string,
  { which, signature }: { which: Signed; signature: XmlElement },
  certificates: string[],
): Promise<string | null> {
  const { getVerifiedXml, parseDomFromString } = await loadLibrary()
  try {
    const dom = await parseDomFromString(text)
    const { documentElement: root } = dom
    const element = which === 'document' ? root : root.getElementsByTagNameNS(ns.assertion, 'Assertion')[0]
    const octets = element && (await signedInfoOf(dom, element))
    const signer = octets ? findSigner({ octets, ...methodOf(signature) }, certificates) : null
    return element && signer !== null ? getVerifiedXml(text, element, [signer]) : null
  } catch {
    // The library throws at what it takes for an attack.
    return null
  }
}

function methodOf(signature: XmlElement): { algorithm: string; signature: string } {
  const info = onlyChild(signature, ns.signature, 'SignedInfo')
  const method = info && onlyChild(info, ns.signature, 'SignatureMethod')
  const value = onlyChild(signature, ns.signature, 'SignatureValue')
  return { algorithm: (method && attributeOf(method, 'Algorithm')) ?? '', signature: value?.text ?? '' }
}

type Library = Awaited<ReturnType<typeof loadLibrary>>
type Dom = Awaited<ReturnType<Library['parseDomFromString']>>

const isOfSignatures = (name: string) => `*[local-name(.)='${name}' and namespace-uri(.)='${ns.signature}']`

/** The octets that the signature of an element was made of (XML Signature §3.1.2). */
async function signedInfoOf(dom: Dom, element: Dom['documentElement']): Promise<string | null> {
  const [{ xpath }, { ExclusiveCanonicalization, findAncestorNs }] = await Promise.all([
    loadLibrary(),
    import('xml-crypto'),
  ])
  const path = `./${isOfSignatures('Signature')}/${isOfSignatures('SignedInfo')}`
  const [info, ...more] = xpath.selectElements(element, path)
  if (!info || more.length > 0) return null
  const place = element === dom.documentElement ? '/*' : `/*/*[local-name(.)='${element.localName}']`
  // It adds declarations to what it is given.
  const copy = info.cloneNode(true)
  return new ExclusiveCanonicalization().process(copy as typeof info, {
    ancestorNamespaces: findAncestorNs(dom, `${place}${path.slice(1)}`),
  })
}
