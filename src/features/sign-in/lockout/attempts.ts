import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import { networkOf } from '../../../platform/http/client-address.ts'
import { type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { loginErrors } from '../../access/login/login.ts'
import {
  type AttemptLimits,
  claimAttemptRows,
  clearAllRows,
  clearedFailures,
  clearRows,
  countText,
  findLockedSeconds,
  type LimitParameters,
} from './store.ts'

const networks = hashPurpose('network')

/** The lockout part of the sign-in settings. */
export interface LockoutPolicy {
  lockout_max_attempts: number
  lockout_window_seconds: number
  lockout_duration_seconds: number
}

// The counter that covers all networks.
const EVERYWHERE = ''
// If the end user's IP is known, a network is locked after a few failures, and the whole address only after failures
// from many networks. Otherwise a stranger could lock a user out with ten requests (ASVS 6.1.1).
const NETWORKS_BEFORE_ACCOUNT = 5

export interface Attempt {
  allowed: boolean
  /** Set by the last attempt allowed: what is locked, and until when, unless this attempt turns out to be right. */
  locks: { scope: 'account' | 'network'; until: Date } | null
}

/**
 * Counts an attempt before it is checked, in its own transaction. A request that fails later does not get the attempt
 * back, and concurrent attempts together cannot exceed the limit. `identity` (`hashIdentity`) may belong to an address
 * that no user has.
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
        { network: hashLockoutNetwork(platform, ip), maxAttempts: policy.lockout_max_attempts },
        { ...own, maxAttempts: policy.lockout_max_attempts * NETWORKS_BEFORE_ACCOUNT },
      ]
    : [own]
  const { lockout_window_seconds: windowSeconds, lockout_duration_seconds: durationSeconds } = policy
  return { windowSeconds, durationSeconds, counters }
}

/**
 * Builds a query that counts an attempt over all networks, once for each identity in `rows`, in the order of
 * `identity`. Returns `directory_id`, `identity` and `locked_until` of the identities that are not locked.
 */
export function countEverywhere(rows: SqlText, directory: SqlText, limits: LimitParameters): SqlText {
  return countText(
    sqlText`select ${directory}, ${rows}.identity, '', 1 from ${rows} order by 1, ${rows}.identity`,
    limits,
  )
}

/** The counters that apply to a client at this IP. */
export function networksOf(platform: Platform, ip: string | null): string[] {
  return ip ? [EVERYWHERE, hashLockoutNetwork(platform, ip)] : [EVERYWHERE]
}

/** Returns the seconds until this client may try the address again, or null if it is not locked. */
export async function findLock(
  { platform, directory }: Work,
  who: { identity: Buffer; ip: string | null },
): Promise<number | null> {
  return findLockedSeconds(platform.db, directory, who.identity, networksOf(platform, who.ip))
}

/** The error for a locked address. */
export function accountLocked(seconds: number) {
  const wait = Math.max(1, seconds)
  return loginErrors.accountLocked({
    detail: `Too many wrong passwords. Try again in ${wait} s, or use the link in the email that was sent.`,
    headers: { 'retry-after': String(wait) },
    extra: { retry_after: wait },
  })
}

/** Resets the counters in the statement of a successful sign-in. */
export function failuresCleared(platform: Platform, who: { identity: Buffer; ip: string | null }) {
  return clearedFailures({ failed_identity: who.identity, failed_networks: networksOf(platform, who.ip) })
}

/** Builds a query that resets the counters after a right password. */
export function clearFailures({ platform, directory, db }: Work, who: { identity: Buffer; ip: string | null }) {
  return clearRows(db, directory, who.identity, networksOf(platform, who.ip))
}

/** Ends every lock of an address and resets its failures. Returns false if there was nothing to reset. */
export async function unlock({ directory, db }: Work, identity: Buffer): Promise<boolean> {
  return clearAllRows(db, directory, identity)
}

/** IP addresses are personal data, so only a keyed hash is stored. */
function hashLockoutNetwork(platform: Platform, ip: string): string {
  return keyedHash(platform.keyring.hashKey(networks), networkOf(ip)).toString('base64url')
}
