import type { EventInput } from '../../../platform/events/events.ts'
import { defineCondition, type UsedCondition } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import { loginEvents } from '../login/login.ts'
import { isDeviceTrusted, useDevice } from './device-store.ts'
import { readDeviceToken } from './device-token.ts'
import { aboutDevice } from './events.ts'
import { coveredSince, type Policy, policyApplies, policyOf, type RoleHolder } from './policy.ts'
import { settleGrace } from './store.ts'

/** The sign-in settings about trusted devices. */
export interface TrustSettings {
  trusted_device_days: number
  trusted_devices_for_enforced_roles: boolean
}

/** The user who signs in. */
export interface Subject extends RoleHolder {
  user_id: string
  mfa_enrolled: boolean
  passkey_count: number
  /**
   * Whether the decision must not write anything. A user whose grace period would have to begin then gets
   * `enrollment`.
   */
  isTentative?: boolean | undefined
}

/** What a sign-in requires after its first factor. */
export interface Demand {
  /** `enrollment`: the user has no factor and must enroll one to sign in. */
  kind: 'nothing' | 'challenge' | 'enrollment'
  /** Set while the user may still sign in without the factor that the policy requires. */
  graceEndsAt: Date | null
  /** The trusted device that makes the second factor unnecessary. */
  deviceId: string | null
  /** Events that the statement which creates the session records. */
  events: EventInput[]
  /**
   * A condition on the user's row under which the decision still holds. The statement that creates the session checks
   * it, so a concurrent change of the policy or of a factor cannot be bypassed.
   */
  unchanged: UsedCondition
}

/**
 * Decides whether a first factor is enough. Needs no query for a user without a factor if the policy requires none.
 * If the sign-in has a transaction, `work` is in it.
 */
export async function demandFactor(work: Work, subject: Subject, trust: TrustSettings): Promise<Demand> {
  const { platform, directory, origin, db } = work
  const policy = await policyOf(work)
  const found: Demand = {
    kind: 'nothing',
    graceEndsAt: null,
    deviceId: null,
    events: [],
    unchanged: stillHolds(policy, subject),
  }
  const required = policyApplies(policy, subject)
  if (!(required || subject.mfa_enrolled) || !(await isServiceEnabled(work, 'mfa'))) return found
  if (!subject.mfa_enrolled) {
    if (subject.isTentative) return { ...found, kind: 'enrollment' }
    const grace = await settleGrace(db, directory, subject.user_id, graceOf(policy, subject))
    if (grace && !grace.over) return { ...found, graceEndsAt: grace.ends_at }
    return { ...found, kind: await withoutFactor(work, subject) }
  }
  const { trustedDevice } = origin.endUser
  const { user_id: userId } = subject
  const tokenHash = trustedDevice && readDeviceToken(platform, userId, trustedDevice)
  if (tokenHash && maySkipByDevice(policy, subject, trust)) {
    const device = await useDevice(db, directory, { userId, tokenHash, days: trust.trusted_device_days })
    if (device) {
      const used = loginEvents.trustedDeviceUsed(aboutDevice(device))
      return { ...found, deviceId: device.id, events: [used] }
    }
  }
  return { ...found, kind: 'challenge' }
}

/** What determines the user's grace period. */
function graceOf(policy: Policy, subject: Subject) {
  return { ...policy, gainedAt: coveredSince(policy, subject) }
}

/**
 * A user with a passkey has to sign in with it, which counts as both factors. Otherwise someone who only has the
 * first factor could enroll an authenticator app.
 */
async function withoutFactor(work: Work, subject: Subject): Promise<Demand['kind']> {
  const hasPasskey = subject.passkey_count > 0 && (await isServiceEnabled(work, 'passkeys'))
  return hasPasskey ? 'challenge' : 'enrollment'
}

const demandUnchanged = defineCondition({
  name: 'demand-unchanged',
  columns: { had_factor: 'boolean', had_passkey: 'boolean', policy_version: 'int', defaults_directory: 'uuid' },
  holds: (directory) => sqlText`users.mfa_enrolled = asked.had_factor and (users.passkey_count > 0) = asked.had_passkey
    and (select coalesce(sum(version), 0) from mfa_policies
      where mfa_policies.directory_id in (${directory}, asked.defaults_directory)) = asked.policy_version`,
})

function stillHolds(policy: Policy, { mfa_enrolled, passkey_count }: Subject): UsedCondition {
  return demandUnchanged({
    had_factor: mfa_enrolled,
    had_passkey: passkey_count > 0,
    policy_version: policy.version,
    defaults_directory: policy.defaultsId,
  })
}

/**
 * Decides the same when a session that began with one factor is refreshed. A user who enrolled voluntarily is not
 * asked during a session. A requirement of the policy applies once the user's grace period is over.
 */
export async function demandAtRefresh(
  work: Work,
  subject: Subject & { trusted_device_id: string | null },
  trust: TrustSettings,
): Promise<Demand> {
  const policy = await policyOf(work)
  const found: Demand = {
    kind: 'nothing',
    graceEndsAt: null,
    deviceId: null,
    events: [],
    unchanged: stillHolds(policy, subject),
  }
  if (!policyApplies(policy, subject) || !(await isServiceEnabled(work, 'mfa'))) return found
  const grace = await settleGrace(work.db, work.directory, subject.user_id, graceOf(policy, subject))
  if (grace && !grace.over) return subject.mfa_enrolled ? found : { ...found, graceEndsAt: grace.ends_at }
  if (!subject.mfa_enrolled) return { ...found, kind: await withoutFactor(work, subject) }
  const deviceId = subject.trusted_device_id
  if (deviceId !== null && maySkipByDevice(policy, subject, trust)) {
    if (await isDeviceTrusted(work.db, work.directory, deviceId, trust.trusted_device_days)) return found
  }
  return { ...found, kind: 'challenge' }
}

/**
 * Whether a trusted device may replace the second factor of this user. Unless the settings allow it, it may not do so
 * for roles that the policy names. If the policy requires a second factor of every role, a device may only do so for
 * the role `member`.
 */
export function maySkipByDevice(policy: Policy, subject: Subject, trust: TrustSettings): boolean {
  if (trust.trusted_device_days === 0) return false
  if (trust.trusted_devices_for_enforced_roles || !policyApplies(policy, subject)) return true
  return policy.enforce_for_roles.length === 0 && subject.role === 'member'
}
