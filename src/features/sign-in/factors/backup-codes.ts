import { randomInt } from 'node:crypto'
import { LOWEST_COST } from '../../../platform/crypto/password-format.ts'
import { computePassword, type Hasher, withPasswordPlace } from '../../../platform/crypto/password-pool.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'
import { mfaHashes } from '../../access/mfa/mfa.ts'

// Crockford's base32, which has no letter that looks like a digit.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODES = 10
/** Ten characters have 50 random bits. */
const LENGTH = 10

/** A stored code: `slot` is its first character, which serves as the look-up key. */
export interface HashedBackupCode {
  slot: string
  hash: string
}

/** Ten fresh codes as they are shown, such as `7-K3M9X-2QPTA`. */
export function makeBackupCodes(): string[] {
  const slots = [...ALPHABET]
  return Array.from({ length: CODES }, () => {
    const [slot = ''] = slots.splice(randomInt(slots.length), 1)
    const secret = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
    return `${slot}-${secret.slice(0, LENGTH / 2)}-${secret.slice(LENGTH / 2)}`
  })
}

/** Converts a typed code to the form that is hashed. Returns null if it is not a backup code. */
export function readBackupCode(typed: string): { slot: string; code: string } | null {
  const code = typed
    .toUpperCase()
    .replaceAll(/[\s_-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  if (code.length !== LENGTH + 1 || [...code].some((character) => !ALPHABET.includes(character))) return null
  return { slot: code.charAt(0), code }
}

/** Hashes the codes one after the other, so that a request takes only one place in the queue. Throws `unavailable`. */
export function hashBackupCodes(hasher: Hasher, userId: string, codes: string[]): Promise<HashedBackupCode[]> {
  return withPasswordPlace(hasher, async () => {
    const hashed = []
    // OWASP's minimum is enough, because the codes are random and the hash is keyed. The hash matters only if both
    // database and key are stolen.
    // Test option: tests hash at a low cost.
    const cost = hasher.platform.hashCost ?? LOWEST_COST
    for (const typed of codes) {
      const read = readBackupCode(typed)
      if (!read) throw new Error('A malformed backup code')
      const input = keyed(hasher.platform, userId, read.code)
      hashed.push({ slot: read.slot, hash: await computePassword(hasher, 'hashArgon2id', { ...cost, input }) })
    }
    return hashed
  })
}

/** Whether this is the stored code. Computes one hash. Throws `unavailable` when too many requests wait. */
export function verifyBackupCode(hasher: Hasher, userId: string, hash: string, code: string): Promise<boolean> {
  return computePassword(hasher, 'verifyArgon2', { hash, input: keyed(hasher.platform, userId, code) })
}

function keyed(platform: Platform, userId: string, code: string): string {
  return keyedHash(platform.keyring.hashKey(mfaHashes), 'backup-code', userId, code).toString('base64')
}
