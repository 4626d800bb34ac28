import { type KeyObject, sign } from 'node:crypto'

// The length of r and of s for P-256.
const INTEGER_LENGTH = 32

/**
 * Returns the base64url signature of a JWS over `input`, by ES256, EdDSA or RS256 (RFC 7518 §3.1, RFC 8037 §3.1).
 * Every sign-in and refresh waits for one, so node:crypto is used: jose signs only a third as many per second.
 */
export function signJws(algorithm: 'ES256' | 'RS256' | 'EdDSA', key: KeyObject, input: string): string {
  const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(input), key)
  return (algorithm === 'ES256' ? toRaw(signature) : signature).toString('base64url')
}

/**
 * Converts an ECDSA signature from its DER sequence of two integers (RFC 3279 §2.2.3) to r and s with fixed width (RFC
 * 7518 §3.4). The option `dsaEncoding` of node:crypto does the same, but doubles the cost of a signature.
 */
export function toRaw(der: Buffer): Buffer {
  const raw = Buffer.alloc(2 * INTEGER_LENGTH)
  // DER: 0x30, the length of the sequence, then 0x02 and a length before each integer.
  let at = 2
  for (const end of [INTEGER_LENGTH, 2 * INTEGER_LENGTH]) {
    const length = der.readUInt8(at + 1)
    at += 2 + length
    // A positive integer may begin with one zero octet.
    const digits = Math.min(length, INTEGER_LENGTH)
    der.copy(raw, end - digits, at - digits, at)
  }
  return raw
}
