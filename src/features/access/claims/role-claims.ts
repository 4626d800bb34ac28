import { directoryRolePermissions } from '../../../contract/permissions.ts'
import { type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'

/** A role of the user's organization that they have. */
export interface HeldRole {
  slug: string
  permissions: string[]
}

/** SQL: the roles of a row of users, or null; nothing else is read for who has none. */
export function heldRolesText({ users, directory }: { users: SqlText; directory: SqlText }): SqlText {
  return sqlText`case when ${users}.role_ids <> '{}' then (
    select jsonb_agg(jsonb_build_object('slug', r.slug, 'permissions', to_jsonb(r.permissions)) order by r.slug)
    from roles r where r.directory_id = ${directory} and r.id = any(${users}.role_ids)) end`
}

// Introspection answers with one of them for nearly every token: sorted once.
const byRole = { admin: sorted(directoryRolePermissions.admin), member: sorted(directoryRolePermissions.member) }

function sorted(permissions: readonly string[]): string[] {
  return [...new Set(permissions)].sort()
}

// A token travels in a header with every request, and servers take headers of 8 KB.
const MAX_PERMISSIONS_BYTES = 4096

/** What a user may do, sorted: by the role that everybody has, and by those of the organization. */
export function permissionsOf(role: string, held: HeldRole[] | null): string[] {
  const system = role === 'admin' ? byRole.admin : byRole.member
  if (!held?.length) return [...system]
  return sorted([...system, ...held.flatMap(({ permissions }) => permissions)])
}

/** The claims `roles` and `permissions`; of more than a token should carry there is none, which is said. */
export function roleClaims({ role, held_roles: held }: { role: string; held_roles: HeldRole[] | null }) {
  const permissions = permissionsOf(role, held)
  const isLarge = Buffer.byteLength(JSON.stringify(permissions)) > MAX_PERMISSIONS_BYTES
  return {
    roles: (held ?? []).map(({ slug }) => slug),
    permissions: isLarge ? [] : permissions,
    ...(isLarge ? { permissions_truncated: true } : {}),
  }
}
