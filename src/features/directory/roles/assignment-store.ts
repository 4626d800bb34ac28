import { type RawBuilder, sql } from 'kysely'
import { isOwnerSeenFrom } from '../../../platform/db/home-environment.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { COUNTED, type Page, type Total, totalOf } from '../../../platform/http/pagination.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory, Reach } from '../../../platform/tenancy/directory.ts'
import { isServed } from '../../../platform/tenancy/services.ts'
import { lockText } from '../../../platform/tenancy/user-lock.ts'
import type { UserRow } from '../users/users.ts'
import { type AssignmentRow, within } from './store.ts'

/** The sources of roles: an API caller, groups at a sign-in, and provisioned groups. */
export type RoleSource = 'manual' | 'sso' | 'scim'

/** The column with the directory role from each source. */
export const ROLE_COLUMNS = { manual: 'own_role', sso: 'sso_role', scim: 'scim_role' } as const

const ofUsers = (reach: Reach | Directory, condition: RawBuilder<unknown>) => sql`
  select a.id, a.user_id, u.auth_account_id, null::uuid as membership_id, a.role_id, a.source, a.created_at
  from role_assignments a join users u on u.directory_id = a.directory_id and u.id = a.user_id
  where ${within(reach, 'a.directory_id')} and ${within(reach, 'u.directory_id')}
    and ${isServed(reach, 'a.directory_id')} and ${condition}`

const ofMembers = (reach: Reach | Directory, condition: RawBuilder<unknown>) => sql`
  select a.id, null::uuid as user_id, null::uuid as auth_account_id,
    coalesce(m.account_member_id, m.id) as membership_id, a.role_id, 'manual' as source, a.created_at
  from member_roles a join members m on m.id = a.membership_id
  where ${within(reach, 'a.directory_id')} and ${isServed(reach, 'a.directory_id')} and ${condition}`

/** A page of the assignments of users and members, in the order of their creation. */
export async function listAssignmentRows(
  db: Db,
  reach: Reach,
  { after, order, limit }: Page,
): Promise<AssignmentRow[]> {
  const beyond = sql.raw(order === 'asc' ? '>' : '<')
  const from = after ? sql`(a.created_at, a.id) ${beyond} (${after.at}, ${after.id}::uuid)` : sql`true`
  const end = sql`order by created_at ${sql.raw(order)}, id ${sql.raw(order)} limit ${limit + 1}`
  const { rows } = await sql<AssignmentRow>`
    select * from (
      (${ofUsers(reach, from)} ${end}) union all (${ofMembers(reach, from)} ${end})) found ${end}`.execute(db)
  return rows
}

export async function countAssignmentRows(db: Db, reach: Reach): Promise<Total> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from role_assignments a where ${within(reach, 'a.directory_id')} and ${isServed(reach, 'a.directory_id')}
      union all
      select from member_roles a where ${within(reach, 'a.directory_id')} and ${isServed(reach, 'a.directory_id')}
      limit ${COUNTED + 1}) counted`.execute(db)
  const count = rows[0]?.count ?? 0
  return totalOf(count, count)
}

export async function listAssignmentsOfUsers(
  db: Db,
  reach: Reach | Directory,
  ids: string[],
): Promise<AssignmentRow[]> {
  const { rows } = await sql<AssignmentRow>`
    ${ofUsers(reach, sql`a.user_id = any(${ids}::uuid[])`)} order by a.created_at, a.id`.execute(db)
  return rows
}

/** `id` is the id that lists of members show. */
export async function listAssignmentsOfMember(db: Db, reach: Reach | Directory, id: string): Promise<AssignmentRow[]> {
  const { rows } = await sql<AssignmentRow>`
    ${ofMembers(reach, sql`${id}::uuid in (m.id, m.account_member_id)`)} order by a.created_at, a.id`.execute(db)
  return rows
}

interface NewAssignment {
  id: string
  user_id: string
  role_id: string
}

/** The added and removed assignments. */
export interface ChangedAssignments {
  came: AssignmentRow[]
  went: AssignmentRow[]
}

const split = (rows: (AssignmentRow & { came: boolean })[]): ChangedAssignments => ({
  came: rows.filter(({ came }) => came),
  went: rows.filter(({ came }) => !came),
})

/** Gives users, whose rows are locked, exactly these roles from a source. Roles from other sources stay. */
export async function setAssignmentRows(
  tx: Tx,
  directory: Directory,
  source: RoleSource,
  { userIds, wanted }: { userIds: string[]; wanted: NewAssignment[] },
): Promise<ChangedAssignments> {
  const { rows } = await sql<AssignmentRow & { came: boolean }>`
    with wanted as (
      select * from unnest(${wanted.map(({ id }) => id)}::uuid[], ${wanted.map((each) => each.user_id)}::uuid[],
        ${wanted.map((each) => each.role_id)}::uuid[]) as wanted (id, user_id, role_id)),
    gone as (
      delete from role_assignments a where a.directory_id = ${directory.id} and a.source = ${source}
        and a.user_id = any(${userIds}::uuid[]) and (a.user_id, a.role_id) not in (
          select user_id, role_id from wanted)
      returning a.id, a.user_id, a.role_id, a.created_at),
    come as (
      insert into role_assignments (directory_id, id, user_id, role_id, source)
      select ${directory.id}::uuid, id, user_id, role_id, ${source}::text from wanted
      on conflict (directory_id, user_id, role_id, source) do nothing
      returning id, user_id, role_id, created_at),
    changed as (select *, true as came from come union all select *, false from gone)
    select changed.*, u.auth_account_id, null::uuid as membership_id, ${source}::text as source
    from changed join users u on u.directory_id = ${directory.id} and u.id = changed.user_id
    order by changed.created_at, changed.id`.execute(tx)
  return split(rows)
}

/**
 * Sets the directory role that one source gives, and the role that results from all sources. Returns the updated
 * users.
 */
export async function setRoleRows(
  tx: Tx,
  directory: Directory,
  source: RoleSource,
  roles: { id: string; role: string | null }[],
): Promise<UserRow[]> {
  const column = ROLE_COLUMNS[source]
  const others = Object.values(ROLE_COLUMNS).filter((other) => other !== column)
  const idsOf = (wanted: string) => roles.filter(({ role }) => role === wanted).map(({ id }) => id)
  const given = sql`case when id = any(${idsOf('admin')}::uuid[]) then 'admin'
    when id = any(${idsOf('member')}::uuid[]) then 'member' end`
  const highest = sql`case when 'admin' in (${given}, ${sql.join(others.map((other) => sql.ref(`users.${other}`)))})
    then 'admin' else 'member' end`
  // Uses lists of ids: a join with all users of a directory that has no statistics yet would compare each with each.
  // Foreign table users: the row contains the roles that each source gives the user.
  const { rows } = await sql<UserRow>`
    with clock as materialized (select clock_now() as at)
    update users set ${sql.ref(column)} = ${given}, version = version + 1, updated_at = clock.at, role = ${highest},
      role_since = case when users.role = ${highest} then users.role_since else clock.at end,
      role_ids = array(
        select distinct a.role_id from role_assignments a where a.directory_id = ${directory.id} and a.user_id = users.id
        order by a.role_id)
    from clock where directory_id = ${directory.id} and id = any(${roles.map(({ id }) => id)}::uuid[])
    returning users.*, ${sql.raw(lockText(sqlText`users`, sqlText`users.updated_at`))} as locked`.execute(tx)
  return rows
}

/** The id that lists of members show. On a roster, a member of the account has the id of their account membership. */
const shownId = sql<string>`coalesce(account_member_id, id)`

/** Locks a membership of the organization, by the id that lists show, until the transaction ends. */
export async function lockMemberRow(tx: Tx, directory: Directory, id: string) {
  return tx
    .selectFrom('members')
    .select(['id', shownId.as('membership_id')])
    .where('account_id', '=', directory.accountId)
    .where('organization_id', 'is not distinct from', directory.organizationId)
    .where(shownId, '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** A membership that a read may reach: of an organization that exists in the environment, or of the account. */
export async function findMemberRow(db: Db, reach: Reach, id: string) {
  const { directory } = reach
  return db
    .selectFrom('members')
    .select(['id', 'organization_id'])
    .where('account_id', '=', reach.accountId)
    .where(shownId, '=', id)
    .where(isOwnerSeenFrom('members.organization_id', reach.environmentId))
    .$if(directory !== null, (query) =>
      query.where('organization_id', 'is not distinct from', directory?.organizationId ?? null),
    )
    .executeTakeFirst()
}

/** Gives a member, whose row is locked, exactly these roles. */
export async function setMemberRoleRows(
  tx: Tx,
  directory: Directory,
  { id: rowId, membership_id }: { id: string; membership_id: string },
  wanted: { id: string; role_id: string }[],
): Promise<ChangedAssignments> {
  const ids = wanted.map((each) => each.role_id)
  const { rows } = await sql<AssignmentRow & { came: boolean }>`
    with gone as (
      delete from member_roles where directory_id = ${directory.id} and membership_id = ${rowId}
        and role_id <> all(${ids}::uuid[])
      returning id, role_id, created_at),
    come as (
      insert into member_roles (directory_id, id, membership_id, role_id)
      select ${directory.id}::uuid, wanted.id, ${rowId}::uuid, wanted.role_id
      from unnest(${wanted.map(({ id }) => id)}::uuid[], ${ids}::uuid[]) as wanted (id, role_id)
      on conflict (directory_id, membership_id, role_id) do nothing
      returning id, role_id, created_at),
    changed as (select *, true as came from come union all select *, false from gone)
    select changed.*, null::uuid as user_id, null::uuid as auth_account_id, 'manual' as source,
      ${membership_id}::uuid as membership_id
    from changed order by created_at, id`.execute(tx)
  return split(rows)
}
