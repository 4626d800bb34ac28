import { sql } from 'kysely'
import type { Tx } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { UserRow } from '../users/users.ts'

/** Sets what one source gives of roles, and the role that follows. Returns those for whom that is something else. */
export async function setRoleRows(
  tx: Tx,
  directory: Directory,
  column: 'sso_role' | 'scim_role',
  roles: { id: string; role: string | null }[],
): Promise<UserRow[]> {
  const other = sql.ref(`users.${column === 'sso_role' ? 'scim_role' : 'sso_role'}`)
  const { rows } = await sql<UserRow>`
    update users set ${sql.ref(column)} = given.role, version = version + 1, updated_at = clock_now(),
      role = case when 'admin' in (own_role, given.role, ${other}) then 'admin' else 'member' end
    from unnest(${roles.map(({ id }) => id)}::uuid[], ${roles.map(({ role }) => role)}::text[]) as given (id, role)
    where users.directory_id = ${directory.id} and users.id = given.id
    returning users.*, coalesce(users.locked_until > users.updated_at, false) as locked`.execute(tx)
  return rows
}
