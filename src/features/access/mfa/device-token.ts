import { keyedHash, randomBase62, SECRET_LENGTH } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'
import { mfaHashes } from './hash-purpose.ts'

const PREFIX = 'td_'

/** A fresh token for a device of a user, and the hash that is stored. */
export function makeDeviceToken(platform: Platform, userId: string): { token: string; hash: Buffer } {
  const token = PREFIX + randomBase62()
  return { token, hash: hashToken(platform, userId, token) }
}

/** The hash of what a device of a user presents; null when it cannot be a token. */
export function readDeviceToken(platform: Platform, userId: string, text: string): Buffer | null {
  const looksRight = text.startsWith(PREFIX) && text.length === PREFIX.length + SECRET_LENGTH
  return looksRight ? hashToken(platform, userId, text) : null
}

function hashToken(platform: Platform, userId: string, token: string): Buffer {
  return keyedHash(platform.keyring.hashKey(mfaHashes), 'trusted-device', userId, token)
}
