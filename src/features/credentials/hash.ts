import { parseOptions } from '@node-rs/argon2'
import {
  type HashedPassword,
  HIGHEST_COST,
  LOWEST_COST,
  type PasswordParameters,
} from '../../platform/crypto/password-format.ts'
import { computePassword } from '../../platform/crypto/password-pool.ts'
import { keyedHash } from '../../platform/crypto/tokens.ts'
import type { Platform } from '../../platform/platform.ts'
import { verifyImported } from './imported-verify.ts'

/** Bytes of UTF-8 in a normalised password at most (ASVS 6.2.9 asks for 64 characters and more). */
export const MAX_PASSWORD_BYTES = 1024
// As sent, with its characters decomposed, it may be three times as long (Unicode Standard Annex 15, §14).
const MAX_SENT_BYTES = 3 * MAX_PASSWORD_BYTES

/** Whether a text is too long to be anybody's password, told before any work that grows with it. */
export function isOverlong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_SENT_BYTES
}

/** The text that is hashed and judged: a password typed on another keyboard is the same password (SP 800-63B §3.1.1.2). */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC')
}

/** Hashes a password. Throws `unavailable` when too many wait; RangeError for parameters out of bounds. */
export async function hashPassword(
  platform: Platform,
  password: string,
  parameters: PasswordParameters,
): Promise<HashedPassword> {
  assertInBounds(parameters)
  const input = pepper(platform, password)
  const hash = await computePassword(platform, 'hashArgon2id', { ...parameters, input })
  return { hash, format: 'argon2id' }
}

/** Whether this is the password. Throws `unavailable` when too many wait. */
export async function verifyPassword(platform: Platform, stored: HashedPassword, password: string): Promise<boolean> {
  // Nobody has such a password; it costs what any wrong one does, but for its length.
  const overlong = isOverlong(password)
  const input = overlong ? '' : password
  const { hash, format } = stored
  const right =
    format === 'argon2id'
      ? await computePassword(platform, 'verifyArgon2', { hash, input: pepper(platform, input) })
      : await verifyImported(platform, { hash, format }, input)
  return right && !overlong
}

/** The same cost for somebody who has no password, so that time does not tell (ASVS 6.3.8). Always false. */
export async function verifyNothing(
  platform: Platform,
  password: string,
  parameters: PasswordParameters,
): Promise<boolean> {
  await hashPassword(platform, isOverlong(password) ? '' : password, parameters)
  return false
}

/** Whether the hash is imported, or of other parameters than those in force. */
export function needsRehash(stored: HashedPassword, parameters: PasswordParameters): boolean {
  if (stored.format !== 'argon2id') return true
  const used = parseOptions(stored.hash)
  return (
    used.memoryCost !== parameters.memoryKib ||
    used.timeCost !== parameters.iterations ||
    used.parallelism !== parameters.parallelism
  )
}

/** A stolen database alone is nothing to guess at: the key of this hash is not in it. */
function pepper(platform: Platform, password: string): string {
  return keyedHash(platform.keyring.hashKey('password'), normalizePassword(password)).toString('base64')
}

function assertInBounds(parameters: PasswordParameters): void {
  for (const name of ['memoryKib', 'iterations', 'parallelism'] as const) {
    const value = parameters[name]
    if (!Number.isInteger(value) || value < LOWEST_COST[name] || value > HIGHEST_COST[name])
      throw new RangeError(`${name} of a password hash is out of bounds`)
  }
}
