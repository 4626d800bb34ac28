import { createHash } from 'node:crypto'
import { canonicalizeSigned, type Signed } from '../xml/canonical.ts'
import { type Message, parseMessage } from '../xml/message.ts'
import { SHA1, SHA256, SHA512 } from '../xml/names.ts'
import { attributeOf, isSameElement, onlyChild, type XmlElement } from '../xml/read.ts'
import { ns } from '../xml/saml-names.ts'
import { signatureOf } from '../xml/signatures.ts'
import { findSigner } from '../xml/signers.ts'
import { SamlRefusal } from './refusal.ts'

/**
 * Verifies the enveloped signature of an element with the given certificates. Keys named in the message are ignored.
 * Returns the canonical octets whose digest was verified, and the signed element parsed again from these octets.
 * Nothing else in the message is authentic. Call `checkSignatures` first, which checks the structure. Throws
 * SamlRefusal.
 */
export async function verifySigned(
  text: string,
  which: Signed,
  element: XmlElement,
  certificates: string[],
): Promise<Message> {
  const signature = signatureOf(element)
  const canonical = signature && (await findVerified(text, { which, signature }, certificates))
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
 * The canonical octets of the signed element; null if the signature or the digest is wrong. The signature is verified
 * first: computing the digest of a large element takes a second, which is worth it only for what a provider has
 * signed.
 */
async function findVerified(
  text: string,
  { which, signature }: { which: Signed; signature: XmlElement },
  certificates: string[],
): Promise<string | null> {
  const checked = onlyChild(signature, ns.signature, 'SignedInfo')
  try {
    const { signedInfo, contentOf } = await canonicalizeSigned(text, which)
    const method = {
      algorithm: algorithmOf(checked, 'SignatureMethod'),
      signature: textOf(signature, 'SignatureValue'),
    }
    if (findSigner({ octets: signedInfo, ...method }, certificates) === null) return null
    // Only these octets are signed, so they must say the same as the SignedInfo that `checkSignatures` has checked.
    const info = parseMessage(signedInfo).root
    const reference = checked && isSameElement(info, checked) ? onlyChild(info, ns.signature, 'Reference') : null
    if (!reference) return null
    const content = contentOf(prefixesOf(reference))
    return isDigestOf(reference, content) ? content : null
  } catch {
    // The second parser does not accept the text as XML, or does not find exactly one signature. This is an attack.
    return null
  }
}

const DIGESTS = new Map([
  [SHA1, 'sha1'],
  [SHA256, 'sha256'],
  [SHA512, 'sha512'],
])

/** Whether the octets have the digest that the reference names (XML Signature §3.2.1). */
function isDigestOf(reference: XmlElement, octets: string): boolean {
  const hash = DIGESTS.get(algorithmOf(reference, 'DigestMethod'))
  const expected = Buffer.from(textOf(reference, 'DigestValue'), 'base64')
  return hash !== undefined && createHash(hash).update(octets).digest().equals(expected)
}

/** The PrefixList of the canonicalization of a reference (Exclusive XML Canonicalization 1.0 §3). */
function prefixesOf(reference: XmlElement): string[] {
  const transforms = onlyChild(reference, ns.signature, 'Transforms')
  const lists = transforms?.children.flatMap(
    (transform) => onlyChild(transform, ns.exclusive, 'InclusiveNamespaces') ?? [],
  )
  return lists?.flatMap((list) => attributeOf(list, 'PrefixList')?.split(/\s+/).filter(Boolean) ?? []) ?? []
}

function algorithmOf(parent: XmlElement | null, name: string): string {
  const method = parent && onlyChild(parent, ns.signature, name)
  return (method && attributeOf(method, 'Algorithm')) ?? ''
}

function textOf(parent: XmlElement, name: string): string {
  return onlyChild(parent, ns.signature, name)?.text ?? ''
}
