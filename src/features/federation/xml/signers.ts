import { constants, createVerify } from 'node:crypto'
import { RSA_PSS_SHA256, RSA_SHA1, RSA_SHA256, RSA_SHA512 } from './names.ts'

/** Octets and their claimed signature. */
export interface SignedOctets {
  octets: string
  /** The algorithm's name in XML Signature. */
  algorithm: string
  /** In Base64. */
  signature: string
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const METHODS = new Map([
  [RSA_SHA1, { hash: 'RSA-SHA1', padding: {} }],
  [RSA_SHA256, { hash: 'RSA-SHA256', padding: {} }],
  [RSA_SHA512, { hash: 'RSA-SHA512', padding: {} }],
  [RSA_PSS_SHA256, { hash: 'RSA-SHA256', padding: PSS }],
])

/**
 * The first certificate (PEM) whose key made the signature; null if none did. Does not check whether the algorithm is
 * allowed: the caller does.
 */
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
      // The certificate's key is of another type than the algorithm needs.
      return false
    }
  }
  return certificates.find(hasSigned) ?? null
}
