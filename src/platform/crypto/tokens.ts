import { createHmac, type KeyObject, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// As many digits as a number can represent exactly. Dividing a bigint costs ten times as much as dividing a number.
const CHUNK = 8
const CHUNK_VALUES = 62n ** 8n

/** The number of base62 characters that hold 256 random bits. */
export const SECRET_LENGTH = 43

/** Random base62 text. 43 characters carry 256 bits. */
export function randomBase62(length = SECRET_LENGTH): string {
  let text = ''
  // randomInt draws without modulo bias.
  for (let i = 0; i < length; i++) text += BASE62.charAt(randomInt(62))
  return text
}

/** Writes an integer as base62 with a fixed width. */
export function toBase62(value: bigint, width: number): string {
  let text = ''
  let rest = value
  for (let left = width; left > 0; left -= CHUNK) {
    let digits = Number(rest % CHUNK_VALUES)
    rest /= CHUNK_VALUES
    for (let i = Math.min(left, CHUNK); i > 0; i--) {
      text = BASE62.charAt(digits % 62) + text
      digits = Math.floor(digits / 62)
    }
  }
  return text
}

/** Reads a number from base62 text. Returns null for an invalid character. */
export function fromBase62(text: string): bigint | null {
  let value = 0n
  for (const character of text) {
    const digit = BASE62.indexOf(character)
    if (digit < 0) return null
    value = value * 62n + BigInt(digit)
  }
  return value
}

/** The number of characters of an id in a token. */
export const ID_LENGTH = 22

/** Writes a UUID as 22 base62 characters, for tokens that contain their place. */
export function packId(id: string): string {
  return toBase62(BigInt(`0x${id.replaceAll('-', '')}`), ID_LENGTH)
}

/** Reads a UUID from 22 base62 characters. Returns null if there is none. */
export function unpackId(text: string): string | null {
  const value = text.length === ID_LENGTH ? fromBase62(text) : null
  if (value === null || value >> 128n) return null
  const hex = value.toString(16).padStart(32, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** CRC-32 as six base62 characters. Detects keys and typing errors without a lookup. */
export function checksum(text: string): string {
  return toBase62(BigInt(crc32(text)), 6)
}

/**
 * HMAC-SHA256 over length-prefixed parts, so that no two lists of parts have the same encoding. Every code, key and
 * token is stored as such a hash: without the key, a dump of the database can be neither reversed nor forged.
 */
export function keyedHash(key: KeyObject, ...parts: string[]): Buffer {
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('')
  return createHmac('sha256', key).update(text).digest()
}

/** The number of characters of a tag, which has 128 bits. */
export const TAG_LENGTH = 22

/** Makes the tag that proves that this service made a token, so that a made-up token costs no lookup. */
export function tagOf(key: KeyObject, body: string): string {
  const digest = keyedHash(key, 'tag', body)
  return toBase62(digest.readBigUInt64BE(0) * 2n ** 64n + digest.readBigUInt64BE(8), TAG_LENGTH)
}

/** Whether the tag belongs to the body. Compares in constant time. */
export function isTagOf(key: KeyObject, body: string, tag: string): boolean {
  return sameHash(Buffer.from(tagOf(key, body)), Buffer.from(tag))
}

/** Constant-time equality of two digests. */
export function sameHash(a: Buffer | null, b: Buffer | null): boolean {
  return a !== null && b !== null && a.length === b.length && timingSafeEqual(a, b)
}
