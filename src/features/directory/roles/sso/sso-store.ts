import { sql } from 'kysely'
import type { Db, Tx } from '../../../../platform/db/pool.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'

/** The roles from a user's groups at their last sign-in through a connection. */
export interface SsoGrant {
  user_id: string
  connection_id: string
  /** The user's groups that the mapping names. Null if an earlier release recorded the grant, without groups. */
  groups: string[] | null
  is_admin: boolean
  role_ids: string[]
}

const columns = ['user_id', 'connection_id', 'groups', 'is_admin', 'role_ids'] as const

export async function listGrantsOfConnection(db: Db, directory: Directory, connectionId: string): Promise<SsoGrant[]> {
  return selectGrants(db, directory).where('connection_id', '=', connectionId).execute()
}

export async function listGrantsOfUsers(db: Db, directory: Directory, userIds: string[]): Promise<SsoGrant[]> {
  return selectGrants(db, directory).where('user_id', '=', sql<string>`any(${userIds}::uuid[])`).execute()
}

/**
 * The connection whose mapping gives roles to provisioned groups; null if provisioning is not linked to a connection.
 */
export async function findLinkedConnectionId(db: Db, directory: Directory): Promise<string | null> {
  const config = db.selectFrom('scim_configs').select('sso_connection_id').where('directory_id', '=', directory.id)
  return (await config.executeTakeFirst())?.sso_connection_id ?? null
}

function selectGrants(db: Db, directory: Directory) {
  return db.selectFrom('sso_roles').select(columns).where('directory_id', '=', directory.id)
}

/** Writes the grants of a connection for users whose rows are locked. A grant without roles is deleted. */
export async function putGrants(
  tx: Tx,
  directory: Directory,
  connectionId: string,
  grants: Omit<SsoGrant, 'connection_id'>[],
): Promise<void> {
  const isEmpty = ({ is_admin, role_ids }: (typeof grants)[number]) => !is_admin && role_ids.length === 0
  const empty = grants.filter(isEmpty).map(({ user_id }) => user_id)
  const given = JSON.stringify(grants.filter((grant) => !isEmpty(grant)))
  await sql`
    with gone as (
      delete from sso_roles where directory_id = ${directory.id} and connection_id = ${connectionId}
        and user_id = any(${empty}::uuid[]))
    insert into sso_roles (directory_id, user_id, connection_id, groups, is_admin, role_ids)
    select ${directory.id}::uuid, given.user_id, ${connectionId}::uuid, given.groups, given.is_admin, given.role_ids
    from jsonb_to_recordset(${given}::jsonb) as given (user_id uuid, groups text[], is_admin boolean, role_ids uuid[])
    on conflict (directory_id, user_id, connection_id) do update set groups = excluded.groups,
      is_admin = excluded.is_admin, role_ids = excluded.role_ids`.execute(tx)
}

/** A grant, to compare with the roles that the groups give now. */
export interface KnownGrant {
  groups: string[] | null
  isAdmin: boolean
  roles: { id: string; slug: string }[]
}

/**
 * Roles from SSO that a connection's users have without a grant, since the previous release writes no grants.
 * Includes users without an identity at any connection.
 */
export async function listUngrantedOfConnection(
  db: Db,
  directory: Directory,
  connectionId: string,
): Promise<Omit<SsoGrant, 'connection_id' | 'groups'>[]> {
  const { rows } = await sql<Omit<SsoGrant, 'connection_id' | 'groups'>>`
    with ungranted as (
      select u.id as user_id, true as is_admin, null::uuid as role_id from users u
      where u.directory_id = ${directory.id} and u.sso_role = 'admin' and u.deleted_at is null and not exists (
        select from sso_roles g where g.directory_id = ${directory.id} and g.user_id = u.id and g.is_admin)
      union all
      select a.user_id, false, a.role_id from role_assignments a
      where a.directory_id = ${directory.id} and a.source = 'sso' and not exists (
        select from sso_roles g
        where g.directory_id = ${directory.id} and g.user_id = a.user_id and a.role_id = any(g.role_ids)))
    select user_id, bool_or(is_admin) as is_admin,
      coalesce(array_agg(role_id) filter (where role_id is not null), '{}') as role_ids
    from ungranted where coalesce((
      select bool_or(i.source = ${connectionId}) from identities i
      where i.directory_id = ${directory.id} and i.user_id = ungranted.user_id and i.method = 'sso'), true)
    group by user_id`.execute(db)
  return rows
}

/** Deletes all grants of a user whose row is locked. */
export async function deleteGrantsOfUser(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await tx.deleteFrom('sso_roles').where('directory_id', '=', directory.id).where('user_id', '=', userId).execute()
}

/**
 * SQL: whether the user of an `identities` row has other roles from SSO than their grants contain, because the
 * previous release wrote them.
 */
const isUnsettled = (directory: Directory) => sql`exists (
  select from users u where u.directory_id = ${directory.id} and u.id = identities.user_id and (
    coalesce(u.sso_role = 'admin', false) <> exists (
      select from sso_roles g where g.directory_id = ${directory.id} and g.user_id = u.id and g.is_admin)
    or exists (
      select from role_assignments a where a.directory_id = ${directory.id} and a.user_id = u.id and a.source = 'sso'
        and not exists (select from sso_roles g
          where g.directory_id = ${directory.id} and g.user_id = u.id and a.role_id = any(g.role_ids)))
    or exists (
      select from sso_roles g join roles r on r.directory_id = ${directory.id} and r.id = any(g.role_ids)
      where g.directory_id = ${directory.id} and g.user_id = u.id and not exists (select from role_assignments a
        where a.directory_id = ${directory.id} and a.user_id = u.id and a.role_id = r.id and a.source = 'sso'))))`

// Treated as a grant with unknown groups, which the next sign-in replaces.
const UNKNOWN: KnownGrant = { groups: null, isAdmin: false, roles: [] }

/**
 * SQL: the grant of an `identities` row as JSON. Null if there is none; `UNKNOWN` if the user's roles differ from the
 * grants.
 */
export function grantOfIdentity(directory: Directory) {
  return sql<KnownGrant | null>`case when ${isUnsettled(directory)} then ${JSON.stringify(UNKNOWN)}::jsonb else (
    select jsonb_build_object('groups', g.groups, 'isAdmin', g.is_admin, 'roles', coalesce((
      select jsonb_agg(jsonb_build_object('id', r.id, 'slug', r.slug)) from roles r
      where r.directory_id = ${directory.id} and r.id = any(g.role_ids)), '[]'))
    from sso_roles g where g.directory_id = ${directory.id} and g.user_id = identities.user_id
      and g.connection_id::text = identities.source limit 1) end`
}
