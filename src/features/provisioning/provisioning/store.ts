import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { ScimUsers } from '../../../platform/db/schema.gen.ts'
import { foldIdentifier } from '../../../platform/identifier.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { isAccessLockedText, lockText } from '../../../platform/tenancy/user-lock.ts'
import type { LockColumns } from '../../directory/users/lock/lock.ts'
import type { UserRow } from '../../directory/users/users.ts'
import { linkedConnection } from '../../federation/federation/provisioned-users/provisioned-users.ts'
import type { ScimObject } from '../language/json.ts'
import { NEVER_SHOWN, type ShownVersion } from '../language/versions.ts'
import type { List } from '../scim/lists/lists.ts'

export type ProvisionedRow = Omit<Selectable<ScimUsers>, 'resource'> & { resource: ScimObject } & ShownVersion

export interface GroupOfUser {
  user_id: string
  id: string
  display_name: string
  is_direct: boolean
}

const columns = [
  'user_id',
  'user_name',
  'user_name_folded',
  'external_id',
  'resource',
  'created_at',
  'deleted_at',
] as const

/** What the client sent about a user. Undefined if the client does not have the user or has deleted them. */
export async function findProvisionedRow(
  db: Db,
  directory: Directory,
  userId: string,
): Promise<ProvisionedRow | undefined> {
  const row = await db
    .selectFrom('scim_users')
    .select(columns)
    .select('directory_id')
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .$castTo<Omit<ProvisionedRow, keyof ShownVersion>>()
    .executeTakeFirst()
  return row && { ...row, ...(await findShownVersion(db, directory, userId)) }
}

/** The version of the groups that a user's representation shows. */
export async function findShownVersion(db: Db, directory: Directory, userId: string): Promise<ShownVersion> {
  const row = await db
    .selectFrom('scim_user_versions')
    .select(['version as shown_version', 'changed_at as shown_at'])
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ?? NEVER_SHOWN
}

/** A user that a new resource may describe, or that had its userName. */
export interface Candidate extends LockColumns {
  user_id: string
  /** Whether the client currently has the user. */
  is_provisioned: boolean
  /** Whether the client has deleted the user. */
  is_gone: boolean
  is_deleted: boolean
  active: boolean
  scim_managed: boolean
  email_norm: string
  has_user_name: boolean
  has_external_id: boolean
  has_email: boolean
  /** Whether the linked connection, which must be active, has named the user by this externalId. */
  is_said_external_id: boolean
  /** Whether it has named the user by this userName or one of these addresses. */
  is_said_name: boolean
  /** Whether it has named the user by this userName, and administrators assign that name. */
  is_said_principal: boolean
  /** Whether it has named the user by a different externalId, in the claim of `scim_match`. */
  is_said_other: boolean
  /** The addresses that the linked connection stated at the link and at the last sign-in. */
  said_addresses: string[]
  /** The domains of the linked connection. */
  domains: string[]
  /**
   * Whether the client deleted the user in the last thirty days under this userName, and no later user had the name.
   */
  is_former: boolean
  /** Whether an administrator's lock is in effect. */
  is_locked: boolean
}

const isLocked = sql.raw(isAccessLockedText(sqlText`users`, sqlText`clock_now()`))

export async function findCandidates(
  db: Db,
  directory: Directory,
  resource: { userName: string; externalId: string | null; emailNorm: string; emails: string[] },
): Promise<Candidate[]> {
  const { userName, externalId, emailNorm, emails } = resource
  const names = [userName, ...emails].flatMap((name) => foldIdentifier(name) ?? [])
  const principal = foldIdentifier(userName)
  const { rows } = await sql<Candidate>`
    with named as materialized (
      select user_id, source, coalesce(external_ids @> array[${externalId}::text], false) as by_external_id,
        coalesce(user_names && ${names}::text[], false) as by_user_name,
        coalesce(user_names @> array[${principal}::text] and principal_names @> array[${principal}::text], false)
          as by_principal, coalesce(external_ids <> '{}' and not external_ids @> array[${externalId}::text], false)
          as by_other, case when address_norm = linked_address_norm and user_names @> array[address_norm] then address_norm end
          as address_norm
      from identities where directory_id = ${directory.id} and method = 'sso'
        and (external_ids @> array[${externalId}::text] or user_names && ${names}::text[])),
    said as (
      select named.user_id, bool_or(by_external_id) as by_external_id, bool_or(by_user_name) as by_user_name,
        bool_or(by_principal) as by_principal,
        bool_or(by_other and k.config ->> 'scim_match' is not null) as by_other,
        array_agg(address_norm) filter (where address_norm is not null) as addresses, k.config -> 'domains' as domains
      from named
      join scim_configs c on c.directory_id = ${directory.id}
      join sso_connections k on k.directory_id = ${directory.id} and k.id::text = named.source
        and k.id = ${linkedConnection(directory)} and k.status = 'active'
      group by named.user_id, k.config -> 'domains'),
    former as (
      select * from (
        select user_id, deleted_by_client from scim_users
        where directory_id = ${directory.id} and user_name_folded = lower(${userName}::text)
          and deleted_at > clock_now() - interval '30 days'
        order by deleted_at desc, user_id desc limit 1) last
      where deleted_by_client),
    found as (
      select user_id from scim_users where directory_id = ${directory.id} and deleted_at is null
        and user_name_folded = lower(${userName}::text)
      union (select user_id from scim_users where directory_id = ${directory.id} and external_id = ${externalId}::text
        and (deleted_at is null or deleted_at > clock_now() - interval '30 days') limit 2)
      union select id from users where directory_id = ${directory.id} and email_norm = ${emailNorm}
        and deleted_at is null and pending_until is null
      union select user_id from said
      union select user_id from former)
    select users.id as user_id, s.user_id is not null and s.deleted_at is null as is_provisioned,
      s.deleted_at is not null as is_gone, users.deleted_at is not null as is_deleted, users.active, users.scim_managed,
      users.email_norm,
      coalesce(s.user_name_folded = lower(${userName}::text), false) as has_user_name,
      coalesce(s.external_id = ${externalId}::text, false) as has_external_id,
      users.email_norm = ${emailNorm} and users.deleted_at is null as has_email,
      coalesce(said.by_external_id, false) as is_said_external_id, coalesce(said.by_user_name, false) as is_said_name,
      coalesce(said.by_principal, false) as is_said_principal, coalesce(said.by_other, false) as is_said_other,
      coalesce(said.addresses, '{}') as said_addresses,
      coalesce(said.domains, '[]') as domains, former.user_id is not null as is_former,
      users.access_locked_at, users.access_locked_until, users.access_lock_reason, ${isLocked} as is_locked
    from found join users on users.directory_id = ${directory.id} and users.id = found.user_id
    left join said on said.user_id = found.user_id
    left join former on former.user_id = found.user_id
    left join scim_users s on s.directory_id = ${directory.id} and s.user_id = found.user_id`.execute(db)
  return rows
}

/** Whether another user of the client has this externalId. */
export async function isRepeated(
  db: Db,
  directory: Directory,
  { externalId, userId }: { externalId: string; userId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('scim_users')
    .select('user_id')
    .where('directory_id', '=', directory.id)
    .where('external_id', '=', externalId)
    .where('deleted_at', 'is', null)
    .where('user_id', '<>', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export interface Email {
  value: string
  type: string | null
  is_primary: boolean
}

/** Stores what the client sends about a user. The caller has locked or just created the user's row. */
export async function putProvisionedRow(
  tx: Tx,
  directory: Directory,
  row: { userId: string; userName: string; externalId: string | null; resource: ScimObject; emails: Email[] },
): Promise<void> {
  const { userId, userName, externalId, resource, emails } = row
  await sql`
    with cleared as (
      delete from scim_user_emails where directory_id = ${directory.id} and user_id = ${userId}
        and n >= ${emails.length}),
    put as (
      insert into scim_users (directory_id, user_id, user_name, external_id, resource)
      values (${directory.id}::uuid, ${userId}::uuid, ${userName}::text, ${externalId}::text,
        ${JSON.stringify(resource)}::jsonb)
      on conflict (directory_id, user_id) do update set user_name = excluded.user_name,
        external_id = excluded.external_id, resource = excluded.resource, deleted_at = null, deleted_by_client = false,
        subjects = null)
    insert into scim_user_emails (directory_id, user_id, n, value, type, is_primary)
    select ${directory.id}::uuid, ${userId}::uuid, given.n - 1, given.value, given.type, given.is_primary
    from unnest(${emails.map(({ value }) => value)}::text[], ${emails.map(({ type }) => type)}::text[],
      ${emails.map(({ is_primary }) => is_primary)}::boolean[]) with ordinality as given (value, type, is_primary, n)
    on conflict (directory_id, user_id, n) do update set value = excluded.value, type = excluded.type,
      is_primary = excluded.is_primary`.execute(tx)
}

/**
 * The groups of users, and the groups that contain these at any depth. The containing groups of each group are looked
 * up once, however many users it has and however many paths lead to it.
 */
export async function listGroupsOfUsers(db: Db, directory: Directory, userIds: string[]): Promise<GroupOfUser[]> {
  const { rows } = await sql<GroupOfUser>`
    with recursive direct as materialized (
      select user_id, group_id from scim_group_members
      where directory_id = ${directory.id} and user_id = any(${userIds}::uuid[])),
    around as (
      select group_id as of_id, group_id from direct
      union
      select around.of_id, above.group_id from around
        join scim_group_groups above on above.directory_id = ${directory.id} and above.member_id = around.group_id)
    select direct.user_id, g.id, g.display_name, bool_or(around.group_id = around.of_id) as is_direct
    from direct join around on around.of_id = direct.group_id
      join scim_groups g on g.directory_id = ${directory.id} and g.id = around.group_id
    group by direct.user_id, g.id, g.display_name order by g.id`.execute(db)
  return rows
}

/**
 * Marks a user as deleted by the client, who may add them again. Stores the subjects with which the user has signed
 * in.
 */
export async function tombstoneProvisionedRow(tx: Tx, directory: Directory, userId: string): Promise<void> {
  await sql`
    update scim_users set deleted_at = clock_now(), deleted_by_client = true, subjects = (
      select array_agg(concat_ws(e'\\n', source, issuer, subject)) from identities
      where directory_id = ${directory.id} and user_id = ${userId} and method = 'sso')
    where directory_id = ${directory.id} and user_id = ${userId} and deleted_at is null`.execute(tx)
}

export type ListedRow = UserRow &
  ShownVersion & { said_external_id: string | null; resource: ScimObject; sort_key: string }

interface PageParts {
  key: RawBuilder<string>
  clause: RawBuilder<unknown>
}

/** The users that a list finds. */
export const listedUsers = (directory: Directory, list: List) => sql`
  from scim_users s join users u on u.directory_id = ${directory.id} and u.id = s.user_id
    left join scim_user_versions shown on shown.directory_id = ${directory.id} and shown.user_id = s.user_id
  where s.directory_id = ${directory.id} and s.deleted_at is null and u.scim_managed and u.deleted_at is null
    ${list.condition ? sql`and ${list.condition}` : sql``}`

export async function selectProvisionedPage(db: Db, directory: Directory, list: List, page: PageParts) {
  const { key, clause } = page
  const { rows } = await sql<ListedRow>`
    select u.*, ${sql.raw(lockText(sqlText`u`, sqlText`clock_now()`))} as locked, s.external_id as said_external_id, s.resource,
      shown.version as shown_version, shown.changed_at as shown_at, ${key} as sort_key
    ${listedUsers(directory, list)} ${clause}`.execute(db)
  return rows
}

export async function countProvisionedRows(db: Db, directory: Directory, list: List): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count ${listedUsers(directory, list)}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Users in the directory's list, by id. */
export async function findListedRows(db: Db, directory: Directory, ids: string[]): Promise<ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    select u.*, ${sql.raw(lockText(sqlText`u`, sqlText`clock_now()`))} as locked, s.external_id as said_external_id, s.resource,
      shown.version as shown_version, shown.changed_at as shown_at, '' as sort_key
    from scim_users s join users u on u.directory_id = ${directory.id} and u.id = s.user_id
      left join scim_user_versions shown on shown.directory_id = ${directory.id} and shown.user_id = s.user_id
    where s.directory_id = ${directory.id} and s.user_id = any(${ids}::uuid[]) and s.deleted_at is null
      and u.deleted_at is null`.execute(db)
  return rows
}
