import type { Keyring } from './keyring.ts'
import { hashPurpose } from './keyring.ts'
import {
  fromBase62,
  ID_LENGTH,
  isTagOf,
  keyedHash,
  packId,
  randomBase62,
  SECRET_LENGTH,
  TAG_LENGTH,
  tagOf,
  toBase62,
  unpackId,
} from './tokens.ts'

const refreshTokens = hashPurpose('refresh-token')

const PREFIX = 'rt_'
const GENERATION_LENGTH = 6
const BODY_LENGTH = 2 * ID_LENGTH + GENERATION_LENGTH + SECRET_LENGTH

/**
 * A refresh token contains the place of its session, so that only one shard is read, and its generation. The tag
 * proves that this service issued it. Only a genuine old token counts as a replay, so guessing cannot end a session.
 */
export interface RefreshToken {
  directoryId: string
  sessionId: string
  generation: number
  /** The keyed hash that is stored. */
  hash: Buffer
}

/** Makes the token for a generation of a session. */
export function makeRefreshToken(keyring: Keyring, place: Omit<RefreshToken, 'hash'>): { token: string; hash: Buffer } {
  const generation = toBase62(BigInt(place.generation), GENERATION_LENGTH)
  const body = packId(place.directoryId) + packId(place.sessionId) + generation + randomBase62()
  return { token: PREFIX + body + tagOf(keyring.hashKey(refreshTokens), body), hash: hashOf(keyring, body) }
}

/** Parses a token. Success only proves that this service issued the token. Returns null otherwise. */
export function parseRefreshToken(keyring: Keyring, token: string): RefreshToken | null {
  if (!token.startsWith(PREFIX) || token.length !== PREFIX.length + BODY_LENGTH + TAG_LENGTH) return null
  const body = token.slice(PREFIX.length, PREFIX.length + BODY_LENGTH)
  if (!isTagOf(keyring.hashKey(refreshTokens), body, token.slice(-TAG_LENGTH))) return null
  const directoryId = unpackId(body.slice(0, ID_LENGTH))
  const sessionId = unpackId(body.slice(ID_LENGTH, 2 * ID_LENGTH))
  const generation = fromBase62(body.slice(2 * ID_LENGTH, 2 * ID_LENGTH + GENERATION_LENGTH))
  if (directoryId === null || sessionId === null || generation === null) return null
  return { directoryId, sessionId, generation: Number(generation), hash: hashOf(keyring, body) }
}

export function looksLikeRefreshToken(token: string): boolean {
  return token.startsWith(PREFIX)
}

function hashOf(keyring: Keyring, body: string): Buffer {
  return keyedHash(keyring.hashKey(refreshTokens), 'stored', body)
}
