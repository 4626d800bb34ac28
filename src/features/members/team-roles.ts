import { type Scope, scopes } from '../../contract.ts'
import { permissionScopes, teamRolePermissions } from '../../contract-permissions.ts'
import { httpErrors } from '../../platform/errors.ts'
import type { KeyCaller } from '../../platform/http/caller.ts'
import { isSubset } from '../../platform/http/scopes.ts'

/** What a member of the team may be, the highest first. */
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

/** Whether the second role may do all that the first may. */
export function coversRole(role: TeamRole, other: TeamRole): boolean {
  return TEAM_ROLES.indexOf(other) <= 1 && TEAM_ROLES.indexOf(other) <= TEAM_ROLES.indexOf(role)
}

/**
 * Nobody gives more than they hold, nor takes the ownership away from somebody unless they could give it.
 * Throws `privilege_escalation`.
 */
export function assertMayChange(caller: KeyCaller, before: TeamRole | null, after: TeamRole | null): void {
  const isUnbounded = caller.kind === 'member' || caller.scopes.includes('*')
  const lacks = (role: TeamRole) =>
    !isSubset(scopesOf(role), caller.scopes) ||
    (!isUnbounded && teamRolePermissions[role].some((permission) => permissionScopes[permission] === null)) ||
    (role === 'owner' && caller.lacks?.includes(OWNERSHIP))
  for (const role of [after, before === 'owner' ? before : null])
    if (role !== null && before !== after && lacks(role))
      throw httpErrors.privilegeEscalation({
        detail: `The caller must hold all that the role ${role} may do, to give it or take it away.`,
      })
}

/** Making and unmaking owners, which is no permission of the catalogue. */
const OWNERSHIP = 'members:owner'

const ofAdmins: readonly string[] = teamRolePermissions.admin

/** What a role may not do although its scopes would allow it. */
const WITHHELD: Partial<Record<TeamRole, readonly string[]>> = {
  admin: [...teamRolePermissions.owner.filter((permission) => !ofAdmins.includes(permission)), OWNERSHIP],
}

/** What somebody may not do who has these roles at once. */
export function lackedBy(roles: readonly TeamRole[]): string[] {
  const [first = [], ...others] = roles.filter((role) => scopesOf(role).length === scopes.length).map(withheldFrom)
  return first.filter((permission) => others.every((withheld) => withheld.includes(permission)))
}

const withheldFrom = (role: TeamRole): readonly string[] => WITHHELD[role] ?? []

/** The permissions of a role, as a token says them. */
export function permissionsOf(role: TeamRole): string[] {
  return [...teamRolePermissions[role]]
}
