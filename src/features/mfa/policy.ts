import type { Static } from 'typebox'
import { invalidField } from '../../platform/errors.ts'
import { changedFrom, record } from '../../platform/events.ts'
import { perPlatform } from '../../platform/platform.ts'
import { isServiceEnabled } from '../../platform/services.ts'
import { inTx, type Work } from '../../platform/work.ts'
import { loginErrors } from '../login/login.ts'
import { mfaEvents } from './events.ts'
import {
  MFA_METHODS,
  MFA_ROLES,
  type MfaMethod,
  type MfaPolicy,
  type PolicyFields,
  type PolicyPatch,
} from './schema.ts'
import { findPolicyRow, lockPolicyRow, type PolicyRow, writePolicyRow } from './store.ts'

/** The policy in force. `version` is 0 if none was ever set. */
export interface Policy extends PolicyFields {
  required_since: Date | null
  updated_at: Date | null
  version: number
}

const DEFAULTS: PolicyFields = {
  require_mfa: false,
  grace_period_days: 7,
  allowed_methods: ['totp', 'backup'],
  enforce_for_roles: [],
}

const policies = perPlatform((platform) =>
  platform.caches.define<Policy>('mfa_policies', async (directoryId) => {
    const row = await findPolicyRow(platform.db, directoryId)
    return row ? toPolicy(row) : { ...DEFAULTS, required_since: null, updated_at: null, version: 0 }
  }),
)

function toPolicy(row: PolicyRow): Policy {
  return {
    ...row,
    allowed_methods: MFA_METHODS.filter((method) => row.allowed_methods.includes(method)),
    enforce_for_roles: MFA_ROLES.filter((role) => row.enforce_for_roles.includes(role)),
  }
}

/** The policy of a directory, cached. */
export function policyOf({ platform, directory }: Pick<Work, 'platform' | 'directory'>): Promise<Policy> {
  return policies(platform).get(directory.id)
}

/** Whether a policy requires a second factor of users with this role. */
export function requiresOf(policy: PolicyFields, role: string): boolean {
  const roles: readonly string[] = policy.enforce_for_roles
  return policy.require_mfa && (roles.length === 0 || roles.includes(role))
}

export function showPolicy(policy: Policy): Static<typeof MfaPolicy> {
  const { version: _, required_since, updated_at, ...fields } = policy
  return {
    ...fields,
    required_since: required_since?.toISOString() ?? null,
    updated_at: updated_at?.toISOString() ?? null,
  }
}

/** Changes the policy, effective at commit. Throws `invalid_request` for one that contradicts itself. */
export function changePolicy(work: Work, patch: PolicyPatch): Promise<Policy> {
  return inTx(work, async (work) => {
    const { platform, directory, db } = work
    const before = toPolicy(await lockPolicyRow(db, directory, DEFAULTS))
    const policy = withPatch(before, patch)
    assertConsistent(policy)
    const after = toPolicy(await writePolicyRow(db, directory, policy))
    await policies(platform).invalidate(db, directory.id)
    const { updated_at: _, ...previous } = changedFrom(showPolicy(before), showPolicy(after))
    const target = { type: 'mfa_policy', id: directory.id }
    await record(work, mfaEvents.policyUpdated({ target, data: showPolicy(after), previous }))
    return after
  })
}

/** The policy with what a change sets. */
export function withPatch(before: PolicyFields, patch: PolicyPatch): PolicyFields {
  const pick = <T>(given: T | null | undefined, kept: T, byDefault: T): T =>
    given === undefined ? kept : (given ?? byDefault)
  return {
    require_mfa: pick(patch.require_mfa, before.require_mfa, DEFAULTS.require_mfa),
    grace_period_days: pick(patch.grace_period_days, before.grace_period_days, DEFAULTS.grace_period_days),
    allowed_methods: pick(patch.allowed_methods, before.allowed_methods, DEFAULTS.allowed_methods),
    enforce_for_roles: pick(patch.enforce_for_roles, before.enforce_for_roles, DEFAULTS.enforce_for_roles),
  }
}

/** Throws `invalid_request` for a policy that contradicts itself. */
export function assertConsistent({ require_mfa, allowed_methods }: PolicyFields): void {
  const wrong = (code: string, message: string) => invalidField('allowed_methods', code, message)
  if (allowed_methods.length === 0 && require_mfa)
    throw wrong('empty', 'allowed_methods must not be empty while require_mfa is on')
  if (allowed_methods.length === 1 && allowed_methods[0] === 'backup')
    throw wrong('only_backup', 'allowed_methods must not be only backup, which needs another method: add totp')
  if (require_mfa && allowed_methods.length > 0 && !allowed_methods.includes('totp'))
    throw wrong(
      'only_sms',
      'allowed_methods must include totp while require_mfa is on: sms must not be the only method',
    )
}

/** Whether the user lacks a factor that the policy requires. */
export async function lacksFactor(
  work: Work,
  user: { role: string; mfa_enrolled: boolean; passkey_count: number },
): Promise<boolean> {
  if (user.mfa_enrolled || user.passkey_count > 0 || !requiresOf(await policyOf(work), user.role)) return false
  return isServiceEnabled(work, 'mfa')
}

/** Throws `method_disabled` where the policy does not allow a method. */
export async function assertMethodAllowed(work: Work, method: MfaMethod): Promise<void> {
  const { allowed_methods } = await policyOf(work)
  if (!allowed_methods.includes(method))
    throw loginErrors.methodDisabled({ detail: `allowed_methods of the MFA policy has no ${method}.` })
}

/** Which of a user's factors pass a challenge. One that the policy no longer allows is still better than none. */
export async function methodsToPass(work: Work, has: Record<MfaMethod, boolean>): Promise<MfaMethod[]> {
  const { allowed_methods } = await policyOf(work)
  const enrolled = MFA_METHODS.filter((method) => has[method])
  const allowed = enrolled.filter((method) => allowed_methods.includes(method))
  return allowed.some((method) => method !== 'backup') ? allowed : enrolled
}
