import { directoryRolePermissions } from '../../../contract/permissions.ts'
import { type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'

/** A custom role that the user has. */
export interface HeldRole {
  slug: string
  permissions: string[]
}

/** SQL: the custom roles of a `users` row. Null if there are none, in which case no roles are read. */
export function heldRolesText({ users, directory }: { users: SqlText; directory: SqlText }): SqlText {
  return sqlText`case when ${users}.role_ids <> '{}' then (
    select jsonb_agg(jsonb_build_object('slug', r.slug, 'permissions', to_jsonb(r.permissions)) order by r.slug)
    from roles r where r.directory_id = ${directory} and r.id = any(${users}.role_ids)) end`
}

// Introspection needs one of these for nearly every token, so they are sorted once.
const byRole = { admin: sorted(directoryRolePermissions.admin), member: sorted(directoryRolePermissions.member) }

function sorted(permissions: readonly string[]): string[] {
  return [...new Set(permissions)].sort()
}

// A token is sent in a header with every request, and many servers accept only 8 KB of headers.
const MAX_PERMISSIONS_BYTES = 4096

/** A user's permissions, sorted: the permissions of the system role and of the custom roles. */
export function permissionsOf(role: string, held: HeldRole[] | null): string[] {
  const system = role === 'admin' ? byRole.admin : byRole.member
  if (!held?.length) return [...system]
  return sorted([...system, ...held.flatMap(({ permissions }) => permissions)])
}

/**
 * The claims `roles` and `permissions`. If there are too many permissions for a token, the list is empty and
 * `permissions_truncated` says so.
 */
export function roleClaims({ role, held_roles: held }: { role: string; held_roles: HeldRole[] | null }) {
  const permissions = permissionsOf(role, held)
  const isLarge = Buffer.byteLength(JSON.stringify(permissions)) > MAX_PERMISSIONS_BYTES
  return {
    roles: (held ?? []).map(({ slug }) => slug),
    permissions: isLarge ? [] : permissions,
    ...(isLarge ? { permissions_truncated: true } : {}),
  }
}
