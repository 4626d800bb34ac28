import { type Scope, scopes } from '../../../../contract/contract.ts'
import { permissionScopes, teamRolePermissions } from '../../../../contract/permissions.ts'
import { httpErrors } from '../../../../platform/errors.ts'
import { describeBound } from '../../../../platform/tenancy/authorize.ts'
import type { ManagerCaller } from '../../../../platform/tenancy/caller.ts'
import { type Grant, OWNERSHIP } from '../../../../platform/tenancy/grants.ts'

/** The roles of team members, highest first. */
export const TEAM_ROLES = ['owner', 'admin', 'developer', 'member'] as const
export type TeamRole = (typeof TEAM_ROLES)[number]

const GRANTS: Record<TeamRole, readonly Scope[]> = {
  owner: scopes,
  admin: scopes,
  developer: [
    ...(['api_keys.read', 'api_keys.manage', 'webhooks.read', 'webhooks.manage'] as const),
    ...(['environments.read', 'environments.write', 'auth.settings.read', 'otp.settings.read'] as const),
    ...(['audit.read', 'events.read'] as const),
  ],
  member: ['users.read', 'members.read', 'sub_orgs.read'],
}

/** The scopes of a role. */
export function scopesOf(role: TeamRole): readonly Scope[] {
  return GRANTS[role]
}

/** Whether `other` includes all permissions of `role`. */
export function coversRole(role: TeamRole, other: TeamRole): boolean {
  return TEAM_ROLES.indexOf(other) <= 1 && TEAM_ROLES.indexOf(other) <= TEAM_ROLES.indexOf(role)
}

/**
 * Refuses a caller that lacks a permission of the role: the caller may neither give the role nor act on a member who
 * has it. Throws `privilege_escalation`.
 */
export function assertMayActOn(caller: ManagerCaller, role: TeamRole): void {
  if (!rightsOf(role).every((right) => caller.grants.has(right)))
    throw httpErrors.privilegeEscalation({
      detail: `The caller lacks permissions of the role ${role}, so it can neither give this role nor change a member with this role.${needed(caller, role)}`,
    })
}

/** All scopes and permissions of a role. */
function rightsOf(role: TeamRole): Grant[] {
  return [...scopesOf(role), ...teamRolePermissions[role], ...(role === 'owner' ? ([OWNERSHIP] as const) : [])]
}

/** The scopes that a key lacks for a role. If no scope covers one of the role's permissions, the key needs `*`. */
function needed({ kind, grants }: ManagerCaller, role: TeamRole): string {
  if (kind === 'member') return ''
  const isScoped = teamRolePermissions[role].every((permission) => permissionScopes[permission] !== null)
  const missing = isScoped ? scopesOf(role).filter((scope) => !grants.has(scope)) : ['*']
  return ` Needs ${missing.join(', ')}.`
}

/**
 * Requires that the caller may give a role. It must have all of the role's permissions. A key must also be without
 * bounds, such as a rate limit, since the bounds would not apply to the member. Throws `privilege_escalation`.
 */
export function assertMayGive(caller: ManagerCaller, role: TeamRole): void {
  assertMayActOn(caller, role)
  const bound = describeBound(caller)
  if (bound !== null)
    throw httpErrors.privilegeEscalation({
      detail: `This key has ${bound}, which the member would not have. To give roles, use a key without an expiry, address list and rate limit.`,
    })
}

/** Requires that the caller may change one role to the other. Throws `privilege_escalation`. */
export function assertMayChange(caller: ManagerCaller, before: TeamRole, after: TeamRole): void {
  if (addsPermissions(before, after)) assertMayGive(caller, after)
  else assertMayActOn(caller, after)
}

const ofAdmins: readonly string[] = teamRolePermissions.admin

/** Rights that a role does not have although its scopes would include them. */
const WITHHELD: Partial<Record<TeamRole, readonly Grant[]>> = {
  admin: [...teamRolePermissions.owner.filter((permission) => !ofAdmins.includes(permission)), OWNERSHIP],
}

/**
 * The rights withheld from a member with these roles. A right is withheld only if every one of these roles that has
 * all scopes withholds it.
 */
export function withheldFromAll(roles: readonly TeamRole[]): Grant[] {
  const [first = [], ...others] = roles.filter((role) => scopesOf(role).length === scopes.length).map(withheldFrom)
  return first.filter((permission) => others.every((withheld) => withheld.includes(permission)))
}

const withheldFrom = (role: TeamRole): readonly Grant[] => WITHHELD[role] ?? []

/** Whether `other` has permissions that `role` lacks. */
export function addsPermissions(role: TeamRole, other: TeamRole): boolean {
  const held: readonly string[] = teamRolePermissions[role]
  return teamRolePermissions[other].some((permission) => !held.includes(permission))
}

/** The permissions of a role, as they are in tokens. */
export function permissionsOf(role: TeamRole): string[] {
  return [...teamRolePermissions[role]]
}
