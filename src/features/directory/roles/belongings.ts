import { sql } from 'kysely'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import {
  type Belonging,
  deletes,
  exportsColumns,
  isPending,
  type Step,
  type UserChange,
} from '../../../platform/lifecycle/belongings.ts'
import type { TxWork } from '../../../platform/work.ts'

const gone = deletes('role_assignments', { role_ids: [] })

/** Removes the roles from SSO connections, since the change also ends the user's identities. */
function withoutSso({ directory }: TxWork, { user }: UserChange): Step {
  const role = user.own_role === 'admin' || user.scim_role === 'admin' ? 'admin' : 'member'
  return {
    query: sql`
      delete from role_assignments where directory_id = ${directory.id} and user_id = ${user.id} and source = 'sso'`,
    isSilent: true,
    columns: () => ({
      sso_role: null,
      role,
      ...(role === user.role ? {} : { role_since: sql<Date>`clock_now()` }),
      role_ids: sql<string[]>`array(
        select distinct a.role_id from role_assignments a
        where a.directory_id = ${directory.id} and a.user_id = ${user.id} and a.source <> 'sso' order by a.role_id)`,
    }),
  }
}

const onCutOff = (work: TxWork, change: UserChange) =>
  // If the identities stay, their next sign-in gives the roles again.
  change.sinceSeconds === undefined ? null : withoutSso(work, change)

/** The roles of a user. */
export const roleBelongings: Belonging[] = [
  {
    table: 'role_assignments',
    proof: withoutSso,
    cutOff: onCutOff,
    removal: gone,
    // The roles belong to the organization that the user leaves.
    move: gone,
    exports: exportsColumns('role_assignments', 'created_at', 'id role_id source created_at', ''),
    beforeProof: true,
    // Roles from SSO come with an identity, which is checked in its own table.
    setUpBefore: sqlText`false`,
    isAbsent: (user) => user.role_ids.length === 0 && user.sso_role === null,
  },
  {
    table: 'sso_roles',
    proof: deletes('sso_roles'),
    cutOff: (work, change) => (change.sinceSeconds === undefined ? null : deletes('sso_roles')(work, change)),
    removal: deletes('sso_roles'),
    move: deletes('sso_roles'),
    exports: exportsColumns('sso_roles', 'connection_id', 'connection_id groups is_admin role_ids', ''),
    isAbsent: isPending,
  },
]
