import { sql } from 'kysely'
import { keyedHash } from '../../platform/crypto/tokens.ts'
import { networkOf } from '../../platform/http/client-address.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Work } from '../../platform/work.ts'
import { lockoutErrors } from './errors.ts'
import { type AttemptLimits, claimAttemptRows, clearAllRows, clearRows, lockedSeconds } from './store.ts'

export { lockoutErrors } from './errors.ts'
export { lockedSeconds } from './store.ts'

/** Of the settings of sign-in. */
export interface LockoutPolicy {
  lockout_max_attempts: number
  lockout_window_seconds: number
  lockout_duration_seconds: number
}

// The counter over all networks.
const EVERYWHERE = ''
// With the end user's address known, one network is stopped early and the address itself only by many networks, so
// that a stranger cannot lock somebody out with ten requests (ASVS 6.1.1).
const NETWORKS_BEFORE_ACCOUNT = 5

export interface Attempt {
  allowed: boolean
  /** When it was the last one allowed: what is locked until the attempt turns out right, and until when. */
  locks: { scope: 'account' | 'network'; until: Date } | null
}

/**
 * Counts an attempt at a password before the password is looked at, committed on its own: a request that fails
 * afterwards does not give it back, and of any number of attempts at once no more than the limit are made.
 * `identity` (`hashIdentity`) may be of an address that nobody has.
 */
export async function claimAttempt(
  { platform, directory }: Work,
  who: { identity: Buffer; ip: string | null },
  policy: LockoutPolicy,
): Promise<Attempt> {
  const limits = limitsOf(platform, who.ip, policy)
  const rows = await claimAttemptRows(platform.db, directory, who.identity, limits)
  const locking = rows.filter((row) => row.locked_until !== null)
  const lock = locking.find((row) => row.network === EVERYWHERE) ?? locking[0]
  return {
    allowed: rows.length === limits.counters.length,
    locks: lock?.locked_until
      ? { scope: lock.network === EVERYWHERE ? 'account' : 'network', until: lock.locked_until }
      : null,
  }
}

function limitsOf(platform: Platform, ip: string | null, policy: LockoutPolicy): AttemptLimits {
  const own = { network: EVERYWHERE, maxAttempts: policy.lockout_max_attempts }
  const counters = ip
    ? [
        { network: hashNetwork(platform, ip), maxAttempts: policy.lockout_max_attempts },
        { ...own, maxAttempts: policy.lockout_max_attempts * NETWORKS_BEFORE_ACCOUNT },
      ]
    : [own]
  const { lockout_window_seconds: windowSeconds, lockout_duration_seconds: durationSeconds } = policy
  return { windowSeconds, durationSeconds, counters }
}

/** Names, for `lockedSeconds`, the counters that stop somebody who comes from this address. */
export function networksOf(platform: Platform, ip: string | null): string[] {
  return ip ? [EVERYWHERE, hashNetwork(platform, ip)] : [EVERYWHERE]
}

/** Seconds until an address may be tried again from here; null: now. */
export async function findLock(
  { platform, directory }: Work,
  who: { identity: Buffer; ip: string | null },
): Promise<number | null> {
  const seconds = lockedSeconds(directory, who.identity, networksOf(platform, who.ip))
  const { rows } = await sql<{ seconds: number | null }>`select ${seconds} as seconds`.execute(platform.db)
  return rows[0]?.seconds ?? null
}

/** The refusal of whoever is locked. */
export function accountLocked(seconds: number) {
  const wait = Math.max(1, seconds)
  return lockoutErrors.accountLocked({
    detail: `Too many wrong passwords: try again in ${wait} s, or use the link in the mail that was sent.`,
    headers: { 'retry-after': String(wait) },
    extra: { retry_after: wait },
  })
}

/** What a right password does to the counters, as a query. */
export function clearFailures({ platform, directory, db }: Work, who: { identity: Buffer; ip: string | null }) {
  return clearRows(db, directory, who.identity, networksOf(platform, who.ip))
}

/** Ends every lock of an address and forgets its failures. False: none counted. */
export async function unlock({ directory, db }: Work, identity: Buffer): Promise<boolean> {
  return clearAllRows(db, directory, identity)
}

/** Addresses of people are not kept. */
function hashNetwork(platform: Platform, ip: string): string {
  return keyedHash(platform.keyring.hashKey('network'), networkOf(ip)).toString('base64url')
}
