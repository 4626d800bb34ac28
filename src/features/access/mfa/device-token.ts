import { keyedHash, randomBase62, SECRET_LENGTH } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'
import { mfaHashes } from './hash-purpose.ts'

const PREFIX = 'td_'

/** A new token for a user's device, and the hash to store. */
export function makeDeviceToken(platform: Platform, userId: string): { token: string; hash: Buffer } {
  const token = PREFIX + randomBase62()
  return { token, hash: hashToken(platform, userId, token) }
}

/** The hash of the token that a device presents. Null if it cannot be a token of this user. */
export function readDeviceToken(platform: Platform, userId: string, text: string): Buffer | null {
  const looksRight = text.startsWith(PREFIX) && text.length === PREFIX.length + SECRET_LENGTH
  return looksRight ? hashToken(platform, userId, text) : null
}

function hashToken(platform: Platform, userId: string, token: string): Buffer {
  return keyedHash(platform.keyring.hashKey(mfaHashes), 'trusted-device', userId, token)
}
