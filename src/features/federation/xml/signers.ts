import { constants, createVerify } from 'node:crypto'
import { RSA_PSS_SHA256, RSA_SHA1, RSA_SHA256, RSA_SHA512 } from './names.ts'

/** Octets, and what is said to be their signature. */
export interface SignedOctets {
  octets: string
  /** As XML Signature names it. */
  algorithm: string
  /** Base64. */
  signature: string
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const METHODS = new Map([
  [RSA_SHA1, { hash: 'RSA-SHA1', padding: {} }],
  [RSA_SHA256, { hash: 'RSA-SHA256', padding: {} }],
  [RSA_SHA512, { hash: 'RSA-SHA512', padding: {} }],
  [RSA_PSS_SHA256, { hash: 'RSA-SHA256', padding: PSS }],
])

/** The first of the certificates (PEM) whose key made the signature; null if none did. Whether the algorithm is allowed, the caller says. */
export function findSigner({ octets, algorithm, signature }: SignedOctets, certificates: string[]): string | null {
  const method = METHODS.get(algorithm)
  if (!method) return null
  const bytes = Buffer.from(signature, 'base64')
  const hasSigned = (pem: string) => {
    try {
      return createVerify(method.hash)
        .update(octets)
        .verify({ key: pem, ...method.padding }, bytes)
    } catch {
      // A key of another kind, of which certificates may be.
      return false
    }
  }
  return certificates.find(hasSigned) ?? null
}
