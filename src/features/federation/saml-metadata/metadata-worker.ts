import { ENVELOPED, RSA_SHA256, SHA256, xmlNamespaces } from '../xml/names.ts'
import { readIdpMetadata as read } from './idp-metadata.ts'
import type { SigningPair } from './metadata.ts'
import { type IdpMetadata, IdpMetadataError } from './metadata.ts'

// Runs only in the threads of the message pool.

/** What the metadata of a provider says, or why it cannot be read. */
export function readIdpMetadata(xml: string): { metadata: IdpMetadata } | { refused: string } {
  try {
    return { metadata: read(xml) }
  } catch (error) {
    if (!(error instanceof IdpMetadataError)) throw error
    return { refused: error.message }
  }
}

/** What is signed: the whole message, or the assertion in it. */
export type SignedPart = 'message' | 'assertion'

const PLACES: Record<SignedPart, string> = { message: '/*', assertion: "/*/*[local-name(.)='Assertion']" }

/** Signs a message for the POST binding (SAML bindings §3.5). The schema requires the signature after the issuer. */
export async function signMessage({
  xml,
  key,
  part,
}: {
  xml: string
  key: SigningPair
  part: SignedPart
}): Promise<string> {
  const { SignedXml } = await import('xml-crypto')
  const signer = new SignedXml({
    privateKey: key.privateKeyPem,
    publicCert: key.certificatePem,
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: xmlNamespaces.exclusive,
  })
  const xpath = PLACES[part]
  signer.addReference({ xpath, transforms: [ENVELOPED, xmlNamespaces.exclusive], digestAlgorithm: SHA256 })
  signer.computeSignature(xml, { location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' } })
  return signer.getSignedXml()
}
