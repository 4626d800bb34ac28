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

/** Takes what SSO connections gave: the links to them end with this change. */
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
  // The next sign-in by a link that stays gives them again.
  change.sinceSeconds === undefined ? null : withoutSso(work, change)

/** The roles that a user has been given. */
export const roleBelongings: Belonging[] = [
  {
    table: 'role_assignments',
    proof: withoutSso,
    cutOff: onCutOff,
    removal: gone,
    // They are roles of the organization that is left.
    move: gone,
    exports: exportsColumns('role_assignments', 'created_at', 'id role_id source created_at', ''),
    beforeProof: true,
    // Those of SSO have a link, which is looked for.
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
