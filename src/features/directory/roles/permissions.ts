import {
  directoryRolePermissions,
  isKnownPermission,
  permissionScopes,
  permissions,
  teamRolePermissions,
} from '../../../contract/permissions.ts'
import { type ApiError, httpErrors } from '../../../platform/errors.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import type { PermissionInfo, Role } from './schema.ts'

/**
 * Requires that the caller has each permission of the catalogue that it gives. Permissions that a customer has
 * defined mean nothing to this service, so every caller may give them. Throws `privilege_escalation`.
 */
export function assertMayGrant(caller: Pick<ManagerCaller, 'grants'>, asked: readonly string[]): void {
  const refusal = refusalToGrant(caller, asked)
  if (refusal) throw refusal
}

/** The error that `assertMayGrant` would throw, or null. */
export function refusalToGrant({ grants }: Pick<ManagerCaller, 'grants'>, asked: readonly string[]): ApiError | null {
  const beyond = asked.filter((permission) => isKnownPermission(permission) && !grants.has(permission))
  if (beyond.length === 0) return null
  // A permission without its own scope requires the scope `*`.
  const scopes = [...new Set(beyond.filter(isKnownPermission).map((permission) => permissionScopes[permission] ?? '*'))]
  const needed = scopes.includes('*') ? '*' : scopes.join(', ')
  return httpErrors.privilegeEscalation({
    detail: `The caller may not grant ${beyond.join(', ')}. An API key also needs ${needed}.`,
  })
}

/** The catalogue, followed by the other permissions in use. */
export function describePermissions(used: readonly string[]): PermissionInfo[] {
  const own = [...new Set(used)].filter((id) => !isKnownPermission(id)).sort()
  return [
    ...permissions.map((id) => ({ id, known: true, scope: permissionScopes[id] })),
    ...own.map((id) => ({ id, known: false, scope: null })),
  ]
}

const DESCRIPTIONS: Record<string, string> = {
  owner: 'Everything.',
  admin: 'Everything but what owners alone decide.',
  developer: 'Keys, webhooks and environments; reads settings and the audit log.',
  member: 'Reads users, members and organizations.',
}

function systemRole(slug: string, held: readonly string[], scope: Role['scope']): Role {
  return {
    id: slug,
    slug,
    name: slug,
    description: scope === 'account' || slug === 'member' ? (DESCRIPTIONS[slug] ?? null) : 'Manages the organization.',
    permissions: [...held],
    system: true,
    scope,
    subOrgId: null,
    assignmentCount: 0,
    createdAt: null,
    updatedAt: null,
  }
}

/** The roles of the account's team. */
export const teamRoles: readonly Role[] = Object.entries(teamRolePermissions).map(([slug, held]) =>
  systemRole(slug, held, 'account'),
)

/** The system roles that every directory has. */
export const directoryRoles: readonly Role[] = Object.entries(directoryRolePermissions).map(([slug, held]) =>
  systemRole(slug, held, 'organization'),
)

/** The system role with this slug. If a directory role and a team role have it, the directory role. */
export function findSystemRole(slug: string): Role | undefined {
  return [...directoryRoles, ...teamRoles].find((role) => role.slug === slug.toLowerCase())
}
