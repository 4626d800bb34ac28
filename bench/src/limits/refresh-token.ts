import { randomFillSync, timingSafeEqual } from 'node:crypto'
import { Refusal } from './joined.ts'
import type { KeyedHash } from './keyed-hash.ts'

const PREFIX = 'rt_'
const ID_LENGTH = 22
const GENERATION_LENGTH = 6
const TAG_LENGTH = 22
const PLACE_END = PREFIX.length + 2 * ID_LENGTH
const BODY_LENGTH = PLACE_END + GENERATION_LENGTH + 43

/** A token that says where its session lives, and which of its tokens it is. */
export interface RefreshToken {
  /** As the token has it. */
  place: string
  directoryId: string
  sessionId: string
  generation: number
  /** The keyed hash that is stored. */
  hash: string
}

const pool = Buffer.alloc(4096)
let taken = pool.length

/** 256 random bits, which are 43 characters of a token. */
export function makeSecret(): Buffer {
  if (taken === pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += 32
  return Buffer.from(pool.subarray(taken - 32, taken))
}

/** Makes a token with a tag by which it is known for ours, and the hash to store. */
export function makeRefreshToken(
  keyedHash: KeyedHash,
  place: string,
  generation: number,
): { token: string; secret: Buffer; hash: string } {
  const secret = makeSecret()
  const body = `${PREFIX}${place}${generation.toString(36).padStart(GENERATION_LENGTH, '0')}${secret.toString('base64url')}`
  return { token: body + tagOf(keyedHash, body), secret, hash: keyedHash('refresh-token', body) }
}

/** Throws `Refusal`. */
export function parseRefreshToken(keyedHash: KeyedHash, token: string): RefreshToken {
  const body = token.slice(0, BODY_LENGTH)
  const tag = Buffer.from(token.slice(BODY_LENGTH))
  if (tag.length !== TAG_LENGTH || !timingSafeEqual(tag, Buffer.from(tagOf(keyedHash, body))))
    throw new Refusal(404, 'Not one of ours')
  return {
    place: body.slice(PREFIX.length, PLACE_END),
    directoryId: unpackId(body.slice(PREFIX.length, PREFIX.length + ID_LENGTH)),
    sessionId: unpackId(body.slice(PREFIX.length + ID_LENGTH, PLACE_END)),
    generation: Number.parseInt(body.slice(PLACE_END, PLACE_END + GENERATION_LENGTH), 36),
    hash: keyedHash('refresh-token', body),
  }
}

/**
 * The successor's secret, as only who presents the same token again within the reuse interval can read it: a pad of
 * that token and the key, which is used once.
 */
export function sealSecret(keyedHash: KeyedHash, secret: Buffer, presented: string): string {
  const pad = Buffer.from(keyedHash('successor', presented), 'hex')
  for (const [i, byte] of secret.entries()) pad[i] = byte ^ pad.readUInt8(i)
  return pad.toString('base64url')
}

function tagOf(keyedHash: KeyedHash, body: string): string {
  return keyedHash('tag', body).slice(0, TAG_LENGTH)
}

export function packPlace(directoryId: string, sessionId: string): string {
  return packId(directoryId) + packId(sessionId)
}

function packId(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

function unpackId(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
