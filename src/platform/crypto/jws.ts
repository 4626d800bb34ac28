import { type KeyObject, sign } from 'node:crypto'

// Of r and of s, for P-256.
const INTEGER_LENGTH = 32

/**
 * The base64url signature of a JWS over `input`, by ES256, EdDSA or RS256 (RFC 7518 §3.1, RFC 8037 §3.1). node:crypto
 * rather than jose, which signs a third as many a second: every sign-in and refresh waits for one.
 */
export function signJws(algorithm: 'ES256' | 'RS256' | 'EdDSA', key: KeyObject, input: string): string {
  const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(input), key)
  return (algorithm === 'ES256' ? toRaw(signature) : signature).toString('base64url')
}

/**
 * r and s of an ECDSA signature in a fixed width (RFC 7518 §3.4), from its DER sequence of two integers (RFC 3279
 * §2.2.3). By `dsaEncoding` node:crypto does the same, at twice the cost of the whole signature.
 */
export function toRaw(der: Buffer): Buffer {
  const raw = Buffer.alloc(2 * INTEGER_LENGTH)
  // 0x30, the length of the sequence, then 0x02 and a length before each integer.
  let at = 2
  for (const end of [INTEGER_LENGTH, 2 * INTEGER_LENGTH]) {
    const length = der.readUInt8(at + 1)
    at += 2 + length
    // A positive integer may begin with a zero octet, and has no further ones.
    const digits = Math.min(length, INTEGER_LENGTH)
    der.copy(raw, end - digits, at - digits, at)
  }
  return raw
}
