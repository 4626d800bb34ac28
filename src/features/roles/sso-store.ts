import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'

/** What the groups of a user gave at their last sign-in by a connection. */
export interface SsoGrant {
  user_id: string
  connection_id: string
  /** The mapped groups of the user; null: recorded by a release that kept none. */
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

function selectGrants(db: Db, directory: Directory) {
  return db.selectFrom('sso_roles').select(columns).where('directory_id', '=', directory.id)
}

/** Writes what a connection gives users whose rows are held. A grant of nothing is deleted. */
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

/** A grant as a sign-in compares it with what the groups give now. */
export interface KnownGrant {
  groups: string[] | null
  isAdmin: boolean
  roles: { id: string; slug: string }[]
}

/** SQL: the grant of a row of `identities` as JSON; null for none. */
export function grantOfIdentity(directory: Directory) {
  return sql<KnownGrant | null>`(
    select jsonb_build_object('groups', g.groups, 'isAdmin', g.is_admin, 'roles', coalesce((
      select jsonb_agg(jsonb_build_object('id', r.id, 'slug', r.slug)) from roles r
      where r.directory_id = ${directory.id} and r.id = any(g.role_ids)), '[]'))
    from sso_roles g where g.directory_id = ${directory.id} and g.user_id = identities.user_id
      and g.connection_id::text = identities.source limit 1)`
}
