import { type RawBuilder, type Selectable, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Roles } from '../../../platform/db/schema.gen.ts'
import { COUNTED } from '../../../platform/http/pagination.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory, Reach } from '../../../platform/tenancy/directory.ts'
import { isServed } from '../../../platform/tenancy/services.ts'
import { isAccessLockedText } from '../../../platform/tenancy/user-lock.ts'

/** A custom role of an organization, and how many users and members have it. */
export type RoleRow = Selectable<Roles> & { user_count: number; member_count: number }
export type ListedRoleRow = RoleRow & { organization_id: string | null }

export interface AssignmentRow {
  id: string
  user_id: string | null
  auth_account_id: string | null
  membership_id: string | null
  role_id: string
  source: 'manual' | 'sso' | 'scim'
  created_at: Date
}

/** SQL: whether a column names a directory that the read covers. */
export function within(reach: Reach | Directory, column: string): RawBuilder<boolean> {
  if ('kind' in reach) return sql`${sql.ref(column)} = ${reach.id}`
  if (reach.directory) return sql`${sql.ref(column)} = ${reach.directory.id}`
  return sql`${sql.ref(column)} in (
    select id from directories where environment_id = ${reach.environmentId} and kind <> 'console')`
}

// A user can have the same role three times: given by hand, by SSO and by SCIM.
const MAX_SOURCES = 3

const counted = sql`
  roles.*, (select d.organization_id from directories d where d.id = roles.directory_id) as organization_id,
  (select least(count(distinct user_id), ${COUNTED})::int from (select a.user_id from role_assignments a
    where a.directory_id = roles.directory_id and a.role_id = roles.id limit ${MAX_SOURCES * COUNTED}) assigned) as user_count,
  (select count(*)::int from (select from member_roles m
    where m.directory_id = roles.directory_id and m.role_id = roles.id limit ${COUNTED}) assigned) as member_count`

export async function listRoleRows(db: Db, reach: Reach, limit: number): Promise<ListedRoleRow[]> {
  const { rows } = await sql<ListedRoleRow>`
    select ${counted} from roles where ${within(reach, 'roles.directory_id')} and ${isServed(reach, 'roles.directory_id')}
    order by roles.created_at, roles.id limit ${limit}`.execute(db)
  return rows
}

export async function findRoleRow(db: Db, reach: Reach | Directory, id: string): Promise<ListedRoleRow | undefined> {
  const { rows } = await sql<ListedRoleRow>`
    select ${counted} from roles where ${within(reach, 'roles.directory_id')} and roles.id = ${id}`.execute(db)
  return rows[0]
}

/** All permissions that roles contain. */
export async function listUsedPermissions(db: Db, reach: Reach): Promise<string[]> {
  const { rows } = await sql<{ permission: string }>`
    select distinct unnest(permissions) as permission from roles
    where ${within(reach, 'roles.directory_id')} and ${isServed(reach, 'roles.directory_id')}
    limit 10000`.execute(db)
  return rows.map(({ permission }) => permission)
}

/**
 * Prevents other requests from creating roles in the directory until the transaction ends. Returns how many roles it
 * has.
 */
export async function lockRoleCount(tx: Tx, directory: Directory): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('watchword.roles.' || ${directory.id}, 0))`.execute(tx)
  const { count } = await tx
    .selectFrom('roles')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('directory_id', '=', directory.id)
    .executeTakeFirstOrThrow()
  return count
}

interface NewRole {
  id: string
  slug: string
  name: string
  description: string | null
  permissions: string[]
}

export async function insertRoleRow(tx: Tx, directory: Directory, row: NewRole): Promise<RoleRow> {
  const made = await tx
    .insertInto('roles')
    .values({ ...row, directory_id: directory.id })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...made, user_count: 0, member_count: 0 }
}

/** Locks a role, so that it cannot be given, changed or deleted until the transaction ends. */
export async function lockRoleRow(tx: Tx, directory: Directory, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('roles')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** The existing roles with these ids or slugs, locked until the transaction ends. */
export async function lockRoleRows(tx: Tx, directory: Directory, names: string[]) {
  return tx
    .selectFrom('roles')
    .select(['id', 'slug', 'permissions'])
    .where('directory_id', '=', directory.id)
    .where(sql<boolean>`(id::text = any(${names}::text[]) or slug = any(${names}::text[]))`)
    .orderBy('id')
    .forShare()
    .execute()
}

/** The existing roles with these ids or slugs, not locked. */
export async function findRoleRows(db: Db, directory: Directory, names: string[]) {
  return db
    .selectFrom('roles')
    .select(['id', 'slug', 'permissions'])
    .where('directory_id', '=', directory.id)
    .where(sql<boolean>`(id::text = any(${names}::text[]) or slug = any(${names}::text[]))`)
    .execute()
}

export async function updateRoleRow(
  tx: Tx,
  directory: Directory,
  id: string,
  changes: Pick<NewRole, 'name' | 'description' | 'permissions'>,
): Promise<void> {
  await tx
    .updateTable('roles')
    .set({ ...changes, version: sql<number>`version + 1`, updated_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

/** Locks the users who have a role, always in the same order, so that their other roles do not change meanwhile. */
export async function lockHolders(tx: Tx, directory: Directory, id: string): Promise<void> {
  await sql`
    select id from users where directory_id = ${directory.id} and id in (
      select user_id from role_assignments where directory_id = ${directory.id} and role_id = ${id})
    order by id for update`.execute(tx)
}

/** Deletes a role with its assignments. The role and its holders must be locked. */
export async function deleteRoleRow(tx: Tx, directory: Directory, id: string): Promise<void> {
  // Foreign table users: `role_ids` lists the roles of the user.
  await sql`
    with assigned as (
      delete from role_assignments where directory_id = ${directory.id} and role_id = ${id} returning user_id),
    of_members as (
      delete from member_roles where directory_id = ${directory.id} and role_id = ${id}),
    granted as (
      update sso_roles set role_ids = array_remove(role_ids, ${id}::uuid)
      where directory_id = ${directory.id} and user_id in (select user_id from assigned)),
    holders as (
      update users set role_ids = array_remove(role_ids, ${id}::uuid), version = version + 1, updated_at = clock_now()
      where directory_id = ${directory.id} and id in (select user_id from assigned))
    delete from roles where directory_id = ${directory.id} and id = ${id}`.execute(tx)
}

/** The facts for a permission check, read in one statement. */
export interface CheckRow {
  directory_id: string
  active: boolean
  role: string
  organization_status: string | null
  /** The slug of one of the user's roles that allows it; null if none does. */
  allowing: string | null
  /** Whether any role of the directory contains the permission. */
  named: boolean
}

export async function findCheckRow(
  db: Db,
  reach: Reach,
  { userId, permission }: { userId: string; permission: string },
): Promise<CheckRow | undefined> {
  const { rows } = await sql<CheckRow>`
    select users.directory_id, users.active and not ${sql.raw(isAccessLockedText(sqlText`users`, sqlText`clock_now()`))} as active, users.role, o.status as organization_status,
      (select r.slug from roles r where r.directory_id = users.directory_id and r.id = any(users.role_ids)
        and ${permission} = any(r.permissions) order by r.slug limit 1) as allowing,
      exists (select from roles r where r.directory_id = users.directory_id
        and ${permission} = any(r.permissions)) as named
    from users
      join directories d on d.id = users.directory_id
      left join organizations o on o.id = d.organization_id
    where ${within(reach, 'users.directory_id')} and (users.id = ${userId} or users.auth_account_id = ${userId})
      and users.deleted_at is null and (users.pending_until is null or users.pending_until > clock_now())
    limit 1`.execute(db)
  return rows[0]
}
