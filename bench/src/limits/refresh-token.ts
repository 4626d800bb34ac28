import { createCipheriv, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto'
import { newId } from '../../../src/platform/ids.ts'
import { Refusal } from './joined.ts'
import type { KeyedHash } from './keyed-hash.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const TAG_LENGTH = 22
const LENGTH = 3 + 22 + 22 + 6 + 43 + TAG_LENGTH

/** Where a session lives, and which of its tokens is meant. */
export interface TokenPlace {
  directoryId: string
  sessionId: string
  generation: number
}

const pool = Buffer.alloc(4096)
let taken = pool.length

/** 256 random bits as 43 characters. */
export function randomSecret(): string {
  let text = ''
  while (text.length < 43) {
    if (taken === pool.length) {
      randomFillSync(pool)
      taken = 0
    }
    const byte = pool.readUInt8(taken++)
    // A multiple of 62: no character is likelier than another.
    if (byte < 248) text += BASE62.charAt(byte % 62)
  }
  return text
}

/** A token that says where its session lives, with a tag by which it is known for ours, and the hash to store. */
export function makeRefreshToken(keyedHash: KeyedHash, place: TokenPlace): { token: string; hash: string } {
  const generation = place.generation.toString(36).padStart(6, '0')
  const body = `rt_${packId(place.directoryId)}${packId(place.sessionId)}${generation}${randomSecret()}`
  return { token: body + tagOf(keyedHash, body), hash: keyedHash('refresh-token', body) }
}

/** Throws `Refusal`. */
export function parseRefreshToken(keyedHash: KeyedHash, token: string): TokenPlace & { hash: string } {
  const body = token.slice(0, -TAG_LENGTH)
  const tag = Buffer.from(token.slice(-TAG_LENGTH))
  if (token.length !== LENGTH || tag.length !== TAG_LENGTH) throw new Refusal(404, 'Not a refresh token')
  if (!timingSafeEqual(tag, Buffer.from(tagOf(keyedHash, body)))) throw new Refusal(404, 'Not one of ours')
  return {
    directoryId: unpackId(body.slice(3, 25)),
    sessionId: unpackId(body.slice(25, 47)),
    generation: Number.parseInt(body.slice(47, 53), 36),
    hash: keyedHash('refresh-token', body),
  }
}

function tagOf(keyedHash: KeyedHash, body: string): string {
  return keyedHash('tag', body).slice(0, TAG_LENGTH)
}

function packId(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

function unpackId(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const sealKey = randomBytes(32)
const sealKeyId = newId()

/** A token encrypted for its place: what a second request within the reuse interval is answered from. */
export function sealToken({ directoryId, sessionId, generation }: TokenPlace, token: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealKey, iv)
  cipher.setAAD(Buffer.from(`${directoryId}/${sessionId}/${generation}`))
  const sealed = [iv, cipher.update(token, 'latin1'), cipher.final(), cipher.getAuthTag()]
  return `v1.${sealKeyId}.${Buffer.concat(sealed).toString('base64url')}`
}
