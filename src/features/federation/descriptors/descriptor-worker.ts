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

/** Signs a message for the POST binding, with the signature behind its issuer, as the schema wants it. */
export async function signMessage({ xml, key }: { xml: string; key: SigningPair }): Promise<string> {
  const { signXml } = await import('@node-saml/node-saml/lib/xml.js')
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
