import type { Static } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { changedFrom, record } from '../../../platform/events/events.ts'
import { defineSlot, perPlatform } from '../../../platform/platform.ts'
import { accountDefaults } from '../../../platform/settings/settings.ts'
import { accountDirectory, type Directory, defaultsDirectory } from '../../../platform/tenancy/directory.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import { type AccountWork, inTx, type Work } from '../../../platform/work.ts'
import { loginErrors } from '../login/login.ts'
import { mfaEvents } from './events.ts'
import {
  MFA_METHODS,
  MFA_ROLES,
  type MfaMethod,
  type MfaPolicy,
  type PolicyFields,
  type PolicyPatch,
  TEAM_MFA_ROLES,
} from './schema.ts'
import { findPolicyRow, GRACE_BREAK_MS, lockPolicyRow, type PolicyRow, writePolicyRow } from './store.ts'

/** The policy in force. */
export interface Policy extends InForce {
  /** The account-level directory of the environment, whose policy this one inherits from. */
  defaultsId: string
}

interface InForce extends PolicyFields {
  required_since: Date | null
  updated_at: Date | null
  /** Grows with every change of the policy or of the policy that it inherits from; 0 if none was ever set. */
  version: number
}

/** The policy that a directory itself has set. */
interface OwnPolicy extends InForce {
  updated_at: Date
  /** Names of the fields that it inherits. */
  inherited: readonly string[]
}

export const MFA_POLICY_DEFAULTS: PolicyFields = {
  require_mfa: false,
  grace_period_days: 7,
  allowed_methods: ['totp', 'backup'],
  enforce_for_roles: [],
}
const NEVER_SET: InForce = { ...MFA_POLICY_DEFAULTS, required_since: null, updated_at: null, version: 0 }

/**
 * The policy of the account's own team until an owner changes it. `required_since` stays null, because a member's
 * grace period begins with their role (`TeamRole`).
 */
const TEAM_NEVER_SET: InForce = {
  ...NEVER_SET,
  require_mfa: true,
  allowed_methods: ['totp', 'backup', 'sms'],
  enforce_for_roles: ['owner', 'admin'],
}

/** A role of a team member, in the account or on a roster. */
interface TeamRole {
  role: string
  since: Date
  /** When the member lost the role; null while they have it. */
  until: Date | null
  /**
   * False for a role on the roster of an organization in another environment. The policy ignores such a role: keys of
   * that environment can give it, and must not change how the team signs in to production.
   */
  inProduction: boolean
}

// Slot: the team belongs to `tenancy`, which may not be imported from here. `src/wiring` fills the slot.
/**
 * The roles of a team member by address (in lower case), including roles that they have lost. The role in the account
 * is first.
 */
export const teamRoles = defineSlot<(work: Work, emailNorm: string) => Promise<readonly TeamRole[]>>(
  'the roles of a member of the team',
)

const policies = perPlatform((platform) =>
  platform.caches.define<OwnPolicy | null>('mfa_policies', async (directoryId) => {
    const row = await findPolicyRow(platform.db, directoryId)
    return row && toPolicy(row)
  }),
)

function toPolicy(row: PolicyRow): OwnPolicy {
  return {
    ...row,
    allowed_methods: MFA_METHODS.filter((method) => row.allowed_methods.includes(method)),
    enforce_for_roles: TEAM_MFA_ROLES.filter((role) => row.enforce_for_roles.includes(role)),
  }
}

type Tenant = Pick<Work, 'platform' | 'directory'>

/**
 * The policy in force in a directory: its own fields, and for the rest the fields of the account-level directory.
 * Both policies are cached.
 */
export async function policyOf(work: Tenant): Promise<Policy> {
  const { base, defaultsId } = await inheritedBy(work)
  return { ...overlay(base, await policies(work.platform).get(work.directory.id)), defaultsId }
}

async function inheritedBy({ platform, directory }: Tenant): Promise<{ base: InForce; defaultsId: string }> {
  const { id } = await defaultsDirectory(platform, directory)
  if (directory.kind === 'console') return { base: TEAM_NEVER_SET, defaultsId: id }
  if (id === directory.id) return { base: NEVER_SET, defaultsId: id }
  return { base: overlay(NEVER_SET, await policies(platform).get(id)), defaultsId: id }
}

function overlay(base: InForce, own: OwnPolicy | null): InForce {
  if (!own) return base
  const from = (name: keyof PolicyFields) => (own.inherited.includes(name) ? base : own)
  const merged = {
    require_mfa: from('require_mfa').require_mfa,
    grace_period_days: from('grace_period_days').grace_period_days,
    allowed_methods: from('allowed_methods').allowed_methods,
    enforce_for_roles: from('enforce_for_roles').enforce_for_roles,
  }
  // The merged fields may contradict each other although neither policy does.
  const choices = [merged.allowed_methods, base.allowed_methods, MFA_POLICY_DEFAULTS.allowed_methods]
  const allowed_methods = choices.find((methods) => !contradictionIn({ ...merged, allowed_methods: methods }))
  return {
    ...merged,
    allowed_methods: allowed_methods ?? MFA_POLICY_DEFAULTS.allowed_methods,
    required_since:
      from('require_mfa') === base ? earliest(own.required_since, base.required_since) : own.required_since,
    updated_at: own.updated_at,
    version: own.version + base.version,
  }
}

function earliest(a: Date | null, b: Date | null): Date | null {
  return a && b ? (a < b ? a : b) : (a ?? b)
}

/** Whether the policy of a directory requires a second factor, of any role. */
export async function requiresFactors(work: Tenant): Promise<boolean> {
  return (await policyOf(work)).require_mfa
}

/** The role of a user. For a team member, `teamRoles` has all roles. */
export interface RoleHolder {
  role: string
  teamRoles?: readonly TeamRole[] | undefined
}

/** Whether a policy requires a second factor of this user. */
export function policyApplies(policy: PolicyFields, { role, teamRoles }: RoleHolder): boolean {
  const held = teamRoles?.filter(({ until }) => until === null)
  const covered = held ? coveredRoles(policy, held) : coveredRoles(policy, [{ role }])
  return policy.require_mfa && covered.length > 0
}

/**
 * Since when a team member has had roles that the policy covers, without a break of 30 days; null for other users. A
 * shorter break does not count: two administrators could otherwise take each other's role and give it back to extend
 * their grace periods.
 */
export function coveredSince(policy: PolicyFields, { teamRoles }: RoleHolder): Date | null {
  let [start, end]: [Date | null, number] = [null, 0]
  const inOrder = coveredRoles(policy, teamRoles ?? []).toSorted((a, b) => a.since.getTime() - b.since.getTime())
  for (const { since, until } of inOrder) {
    if (start === null || since.getTime() - end >= GRACE_BREAK_MS) start = since
    end = Math.max(end, until?.getTime() ?? Number.POSITIVE_INFINITY)
  }
  return start
}

function coveredRoles<R extends { role: string; inProduction?: boolean }>(
  policy: PolicyFields,
  held: readonly R[],
): R[] {
  const roles: readonly string[] = policy.enforce_for_roles
  return held.filter(({ role, inProduction = true }) => inProduction && (roles.length === 0 || roles.includes(role)))
}

export function showPolicy(policy: InForce): Static<typeof MfaPolicy> {
  const { require_mfa, grace_period_days, allowed_methods, enforce_for_roles, required_since, updated_at } = policy
  return {
    require_mfa,
    grace_period_days,
    allowed_methods,
    enforce_for_roles,
    required_since: required_since?.toISOString() ?? null,
    updated_at: updated_at?.toISOString() ?? null,
  }
}

/** Changes the policy when the transaction commits. Throws `invalid_request` for a policy that contradicts itself. */
export function changePolicy(work: Work, patch: PolicyPatch): Promise<InForce> {
  return inTx(work, async (work) => {
    const { platform, directory, db } = work
    const { base } = await inheritedBy(work)
    const own = toPolicy(await lockPolicyRow(db, directory, MFA_POLICY_DEFAULTS))
    const before = overlay(base, own)
    const wanted = withPatch(before, patch, base)
    assertConsistent(wanted)
    assertRolesFit(directory, wanted)
    const given: Record<string, unknown> = patch
    const row = await writePolicyRow(db, directory, {
      fields: withPatch(own, patch, base),
      inherited: Object.keys(MFA_POLICY_DEFAULTS).filter((name) =>
        given[name] === undefined ? own.inherited.includes(name) : given[name] === null,
      ),
      requires: wanted.require_mfa && directory.kind !== 'console',
      since: before.required_since,
    })
    const after = overlay(base, toPolicy(row))
    await policies(platform).invalidate(db, directory.id)
    const { updated_at: _, ...previous } = changedFrom(showPolicy(before), showPolicy(after))
    const about = { target: { type: 'mfa_policy', id: directory.id }, data: showPolicy(after), previous }
    // The console directory has no event feed, so the event is recorded at the account level.
    if (directory.kind === 'console')
      await record(
        { ...work, directory: await accountDirectory(platform, directory) },
        mfaEvents.teamPolicyUpdated(about),
      )
    else await record(work, mfaEvents.policyUpdated(about))
    return after
  })
}

/** Users of an organization are owners, admins or members. Only the team has developers. */
function assertRolesFit({ kind }: Directory, { enforce_for_roles }: PolicyFields): void {
  const known: readonly string[] = kind === 'console' ? TEAM_MFA_ROLES : MFA_ROLES
  const strange = enforce_for_roles.filter((role) => !known.includes(role))
  if (strange.length > 0)
    throw invalidField(
      'enforce_for_roles',
      'enum',
      `enforce_for_roles: only team members can have the role ${strange.join(', ')}`,
    )
}

/**
 * Changes the policy that the organizations of an environment inherit. Throws what `changePolicy` throws, and
 * `sub_org_mismatch`.
 */
export function changeDefaultPolicy(work: AccountWork, patch: PolicyPatch): Promise<InForce> {
  return changePolicy({ ...work, directory: accountDefaults(work.account).directory }, patch)
}

/** The policy after a patch. A field that is null in the patch gets the inherited value. */
export function withPatch(before: PolicyFields, patch: PolicyPatch, inherited: PolicyFields): PolicyFields {
  const pick = <T>(given: T | null | undefined, kept: T, byDefault: T): T =>
    given === undefined ? kept : (given ?? byDefault)
  return {
    require_mfa: pick(patch.require_mfa, before.require_mfa, inherited.require_mfa),
    grace_period_days: pick(patch.grace_period_days, before.grace_period_days, inherited.grace_period_days),
    allowed_methods: pick(patch.allowed_methods, before.allowed_methods, inherited.allowed_methods),
    enforce_for_roles: pick(patch.enforce_for_roles, before.enforce_for_roles, inherited.enforce_for_roles),
  }
}

/** Throws `invalid_request` for a policy that contradicts itself. */
export function assertConsistent(policy: PolicyFields): void {
  const found = contradictionIn(policy)
  if (found) throw invalidField('allowed_methods', ...found)
}

function contradictionIn({ require_mfa, allowed_methods }: PolicyFields): [code: string, message: string] | null {
  if (allowed_methods.length === 0 && require_mfa)
    return ['empty', 'allowed_methods must not be empty while require_mfa is on']
  if (allowed_methods.length === 1 && allowed_methods[0] === 'backup')
    return ['only_backup', 'allowed_methods must not be only backup, which needs another method: add totp']
  if (require_mfa && allowed_methods.length > 0 && !allowed_methods.includes('totp'))
    return ['only_sms', 'allowed_methods must include totp while require_mfa is on: sms must not be the only method']
  return null
}

/** Whether the user lacks a factor that the policy requires. */
export async function lacksFactor(
  work: Work,
  user: { email_norm: string; role: string; mfa_enrolled: boolean; passkey_count: number },
): Promise<boolean> {
  if (user.mfa_enrolled || user.passkey_count > 0) return false
  const policy = await policyOf(work)
  if (!policy.require_mfa) return false
  const { platform, directory } = work
  const holder =
    directory.kind === 'console' ? { ...user, teamRoles: await teamRoles.of(platform)(work, user.email_norm) } : user
  return policyApplies(policy, holder) && isServiceEnabled(work, 'mfa')
}

/** The role that the MFA policy sees. For a team member, this is the role in their access token. */
export async function currentRole(work: Work, { role, email_norm }: { role: string; email_norm: string }) {
  if (work.directory.kind !== 'console') return role
  const [first] = await teamRoles.of(work.platform)(work, email_norm)
  return first?.until === null ? first.role : 'none'
}

/** Throws `method_disabled` if the policy does not allow a method. */
export async function assertMethodAllowed(work: Work, method: MfaMethod): Promise<void> {
  if (!(await isMethodAllowed(work, method)))
    throw loginErrors.methodDisabled({ detail: `The MFA policy does not allow ${method} (allowed_methods).` })
}

/** Whether a method may be enrolled and used. */
export async function isMethodAllowed(work: Work, method: MfaMethod): Promise<boolean> {
  return (await policyOf(work)).allowed_methods.includes(method)
}

/**
 * Which of a user's factors pass a challenge. If the user has no allowed factor, any enrolled factor passes, which is
 * better than none.
 */
export async function methodsToPass(work: Work, has: Record<MfaMethod, boolean>): Promise<MfaMethod[]> {
  const { allowed_methods } = await policyOf(work)
  const enrolled = MFA_METHODS.filter((method) => has[method])
  const allowed = enrolled.filter((method) => allowed_methods.includes(method))
  return allowed.some((method) => method !== 'backup') ? allowed : enrolled
}
