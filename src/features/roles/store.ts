import { sql } from 'kysely'
import type { Tx } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { UserRow } from '../users/users.ts'

/** Sets what one source gives of roles, and the role that follows. Returns those for whom that is something else. */
export async function setRoleRows(
  tx: Tx,
  directory: Directory,
  column: 'sso_role' | 'scim_role',
  roles: { id: string; role: 'admin' | 'member' | null }[],
): Promise<UserRow[]> {
  const other = sql.ref(column === 'sso_role' ? 'scim_role' : 'sso_role')
  const idsOf = (wanted: string) => roles.filter(({ role }) => role === wanted).map(({ id }) => id)
  const given = sql`case when id = any(${idsOf('admin')}::uuid[]) then 'admin'
    when id = any(${idsOf('member')}::uuid[]) then 'member' end`
  // By lists of ids: joined to all of a directory that statistics do not know yet, each would be compared with all.
  const { rows } = await sql<UserRow>`
    update users set ${sql.ref(column)} = ${given}, version = version + 1, updated_at = clock_now(),
      role = case when 'admin' in (own_role, ${given}, ${other}) then 'admin' else 'member' end
    where directory_id = ${directory.id} and id = any(${roles.map(({ id }) => id)}::uuid[])
    returning users.*, coalesce(users.locked_until > users.updated_at, false) as locked`.execute(tx)
  return rows
}
