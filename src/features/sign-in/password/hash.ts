import { parseOptions } from '@node-rs/argon2'
import { verifyImported } from '../../../platform/crypto/imported-password-verify.ts'
import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { costOfHash } from '../../../platform/crypto/password-cost.ts'
import {
  type HashedPassword,
  HIGHEST_COST,
  LOWEST_COST,
  normalizePassword,
  type PasswordParameters,
} from '../../../platform/crypto/password-format.ts'
import { computePassword, type Hasher } from '../../../platform/crypto/password-pool.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import type { Platform } from '../../../platform/platform.ts'

const pepperPurpose = hashPurpose('password')

/** Maximum length of a normalised password in UTF-8 (ASVS 6.2.9 asks for at least 64 characters). */
export const MAX_PASSWORD_BYTES = 1024
// Before normalisation a password with decomposed characters may be three times as long (Unicode Standard Annex 15,
// §14).
const MAX_SENT_BYTES = 3 * MAX_PASSWORD_BYTES

/** Whether a text is too long for any password. Checked before any work that grows with the length. */
export function isOverlong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_SENT_BYTES
}

/** Hashes a password. Throws `unavailable` when too many hashes wait, and RangeError for parameters out of bounds. */
export async function hashPassword(
  hasher: Hasher,
  password: string,
  parameters: PasswordParameters,
): Promise<HashedPassword> {
  // Test option: tests use a low cost, which is below the bounds.
  if (parameters !== hasher.platform.hashCost) assertInBounds(parameters)
  const input = pepper(hasher.platform, password)
  const hash = await computePassword(hasher, 'hashArgon2id', { ...parameters, input })
  return { hash, format: 'argon2id' }
}

/** Whether this is the password. Throws `unavailable` when too many hashes wait. */
export async function verifyPassword(hasher: Hasher, stored: HashedPassword, password: string): Promise<boolean> {
  // No user has such a password, but checking it must cost as much as any wrong password.
  const overlong = isOverlong(password)
  const input = overlong ? '' : password
  const { hash, format } = stored
  const right =
    format === 'argon2id'
      ? await computePassword(hasher, 'verifyArgon2', { hash, input: pepper(hasher.platform, input) })
      : await verifyImported(hasher, { hash, format }, input)
  return right && !overlong
}

/**
 * Costs as much as a check, for a user without a password, so that timing reveals nothing (ASVS 6.3.8). Returns false.
 */
export async function verifyNothing(
  hasher: Hasher,
  password: string,
  parameters: PasswordParameters,
): Promise<boolean> {
  await hashPassword(hasher, isOverlong(password) ? '' : password, parameters)
  return false
}

/**
 * Whether a password may be checked against this hash. Imported hashes beyond the cost limit may not. Our own hashes
 * always may, and are replaced.
 */
export function isAffordable({ platform }: Pick<Hasher, 'platform'>, stored: HashedPassword): boolean {
  return stored.format === 'argon2id' || costOfHash(stored) <= platform.config.passwordCostLimit
}

/** Whether the hash is imported, or uses other parameters than the current ones. */
export function needsRehash(stored: HashedPassword, parameters: PasswordParameters): boolean {
  if (stored.format !== 'argon2id') return true
  const used = parseOptions(stored.hash)
  return (
    used.memoryCost !== parameters.memoryKib ||
    used.timeCost !== parameters.iterations ||
    used.parallelism !== parameters.parallelism
  )
}

/** Adds a key that is not in the database, so that a stolen database alone cannot be brute-forced. */
function pepper(platform: Platform, password: string): string {
  return keyedHash(platform.keyring.hashKey(pepperPurpose), normalizePassword(password)).toString('base64')
}

function assertInBounds(parameters: PasswordParameters): void {
  for (const name of ['memoryKib', 'iterations', 'parallelism'] as const) {
    const value = parameters[name]
    if (!Number.isInteger(value) || value < LOWEST_COST[name] || value > HIGHEST_COST[name])
      throw new RangeError(`${name} of a password hash is out of bounds`)
  }
}
