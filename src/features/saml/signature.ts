import { type Message, parseMessage } from '../../platform/xml/message.ts'
import { attributeOf, type XmlElement } from '../../platform/xml/read.ts'
import { ns } from './names.ts'
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
  const canonical = await canonicalOf(text, which, certificates)
  if (canonical === null)
    throw new SamlRefusal('signature', 'The signature does not fit any certificate of the connection.')
  const signed = parseMessage(canonical)
  const { namespace, name } = signed.root
  const isSame = namespace === element.namespace && name === element.name
  if (!isSame || attributeOf(signed.root, 'ID') !== attributeOf(element, 'ID'))
    throw new SamlRefusal('signature', 'The signature covers something else.')
  return signed
}

async function canonicalOf(text: string, which: Signed, certificates: string[]): Promise<string | null> {
  const { getVerifiedXml, parseDomFromString } = await loadLibrary()
  try {
    const { documentElement: root } = await parseDomFromString(text)
    const element = which === 'document' ? root : root.getElementsByTagNameNS(ns.assertion, 'Assertion')[0]
    return element ? getVerifiedXml(text, element, certificates) : null
  } catch {
    // The library throws at what it takes for an attack.
    return null
  }
}

/** Signs a message for the POST binding, with the signature behind its issuer, as the schema wants it. */
export async function signMessage(
  xml: string,
  key: { privateKeyPem: string; certificatePem: string },
): Promise<string> {
  const { signXml } = await loadLibrary()
  const issuer = "/*/*[local-name(.)='Issuer']"
  return signXml(
    xml,
    '/*',
    { reference: issuer, action: 'after' },
    {
      privateKey: key.privateKeyPem,
      publicCert: key.certificatePem,
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
    },
  )
}
