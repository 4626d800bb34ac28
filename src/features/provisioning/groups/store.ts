import { type RawBuilder, type Selectable, sql } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { ScimGroups } from '../../../platform/db/schema.gen.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { ScimObject } from '../language/json.ts'
import { NEVER_SHOWN, type ShownVersion } from '../language/versions.ts'
import type { List } from '../scim/lists/lists.ts'

export type GroupRow = Omit<Selectable<ScimGroups>, 'resource'> & { resource: ScimObject } & ShownVersion

/** A rule that gives members of a group a role. */
export interface RoleRule {
  /** The group's displayName, externalId or id. */
  group: string
  /** A system role of directory users, or the id of a role of the organization. */
  role: string
}

/** The roles that a user gets from groups. */
export interface GivenRoles {
  /** The highest system role, or null. */
  role: 'admin' | 'member' | null
  /** Ids of the organization's roles. */
  roleIds: string[]
}

/** A member of a group. */
export interface MemberRow {
  group_id: string
  id: string
  type: 'User' | 'Group'
  display: string
}

/**
 * Returns the connection to which provisioning is linked, and locks the link until the transaction ends. Null if there
 * is none or provisioning is off.
 */
export async function lockConnectionId(tx: Tx, directory: Directory): Promise<string | null> {
  const row = await tx
    .selectFrom('scim_configs')
    .select(['sso_connection_id', 'enabled'])
    .where('directory_id', '=', directory.id)
    .forShare()
    .executeTakeFirst()
  return row?.enabled ? row.sso_connection_id : null
}

/** Reads the mapping from its row, because caches may be outdated. */
export async function findMapping(db: Db, directory: Directory, connectionId: string): Promise<unknown> {
  const row = await db
    .selectFrom('sso_connections')
    .select(sql<unknown>`config -> 'group_role_mapping'`.as('mapping'))
    .where('directory_id', '=', directory.id)
    .where('id', '=', connectionId)
    .executeTakeFirst()
  return row?.mapping ?? null
}

export async function findGroupRow(db: Db, directory: Directory, id: string): Promise<GroupRow | undefined> {
  return selectGroups(db, directory).where('scim_groups.id', '=', id).executeTakeFirst()
}

/** Reads a group's row after locking it until the transaction ends, with the version at that time. */
export async function lockGroupRow(tx: Tx, directory: Directory, id: string): Promise<GroupRow | undefined> {
  const held = await tx
    .selectFrom('scim_groups')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return held && findGroupRow(tx, directory, id)
}

function selectGroups(db: Db, directory: Directory) {
  return db
    .selectFrom('scim_groups')
    .leftJoin('scim_group_versions as shown', (join) =>
      join.on('shown.directory_id', '=', directory.id).onRef('shown.group_id', '=', 'scim_groups.id'),
    )
    .selectAll('scim_groups')
    .select(['shown.version as shown_version', 'shown.changed_at as shown_at'])
    .where('scim_groups.directory_id', '=', directory.id)
    .$castTo<GroupRow>()
}

export async function findGroupRows(db: Db, directory: Directory, ids: string[]): Promise<GroupRow[]> {
  return selectGroups(db, directory).where('scim_groups.id', '=', sql<string>`any(${ids}::uuid[])`).execute()
}

interface GroupFields {
  displayName: string
  externalId: string | null
  resource: ScimObject
}

const columnsOf = ({ displayName, externalId, resource }: GroupFields) => ({
  display_name: displayName,
  external_id: externalId,
  resource: JSON.stringify(resource),
})

type StoredGroup = Omit<GroupRow, keyof ShownVersion>

export async function insertGroupRow(tx: Tx, directory: Directory, id: string, fields: GroupFields): Promise<GroupRow> {
  const row = await tx
    .insertInto('scim_groups')
    .values({ directory_id: directory.id, id, ...columnsOf(fields) })
    .returningAll()
    .$castTo<StoredGroup>()
    .executeTakeFirstOrThrow()
  return { ...row, ...NEVER_SHOWN }
}

/** Stores a new version of a group, and its `fields` if they change too. */
export async function updateGroupRow(
  tx: Tx,
  directory: Directory,
  { id, shown_version, shown_at }: GroupRow,
  fields: GroupFields | null,
): Promise<GroupRow> {
  const row = await tx
    .updateTable('scim_groups')
    .set({ ...(fields ? columnsOf(fields) : {}), version: sql<number>`version + 1`, updated_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .returningAll()
    .$castTo<StoredGroup>()
    .executeTakeFirstOrThrow()
  return { ...row, shown_version, shown_at }
}

/** Whether another group has this externalId. */
export async function isRepeated(
  db: Db,
  directory: Directory,
  { externalId, id }: { externalId: string; id: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('scim_groups')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('external_id', '=', externalId)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteGroupRow(tx: Tx, directory: Directory, id: string): Promise<void> {
  await sql`
    with gone as (delete from scim_group_members where directory_id = ${directory.id} and group_id = ${id}),
    shown as (delete from scim_group_versions where directory_id = ${directory.id} and group_id = ${id})
    delete from scim_groups where directory_id = ${directory.id} and id = ${id}`.execute(tx)
}

/** The ids in this list that belong to provisioned users or to groups. */
export async function findMembers(
  db: Db,
  directory: Directory,
  ids: string[],
): Promise<{ id: string; type: 'User' | 'Group' }[]> {
  const { rows } = await sql<{ id: string; type: 'User' | 'Group' }>`
    select user_id as id, 'User' as type from scim_users
    where directory_id = ${directory.id} and user_id = any(${ids}::uuid[]) and deleted_at is null
    union all
    select id, 'Group' as type from scim_groups
    where directory_id = ${directory.id} and id = any(${ids}::uuid[])`.execute(db)
  return rows
}

/** The users of a group. */
export async function listUserIds(db: Db, directory: Directory, groupId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('scim_group_members')
    .select('user_id')
    .where('directory_id', '=', directory.id)
    .where('group_id', '=', groupId)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** The users in these groups and in the groups that they contain, at any depth. */
export async function listUserIdsBeneath(db: Db, directory: Directory, groupIds: string[]): Promise<string[]> {
  if (groupIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    with recursive beneath as (
      select unnest(${groupIds}::uuid[]) as id
      union select inner_group.member_id from beneath
        join scim_group_groups inner_group
          on inner_group.directory_id = ${directory.id} and inner_group.group_id = beneath.id)
    select distinct m.user_id as id from beneath
      join scim_group_members m on m.directory_id = ${directory.id} and m.group_id = beneath.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Removes a user from every group. Returns the groups. */
export async function leaveGroupRows(tx: Tx, directory: Directory, userId: string): Promise<GroupRow[]> {
  const { rows } = await sql<{ id: string }>`
    delete from scim_group_members where directory_id = ${directory.id} and user_id = ${userId}
    returning group_id as id`.execute(tx)
  return rows.length === 0
    ? []
    : findGroupRows(
        tx,
        directory,
        rows.map(({ id }) => id),
      )
}

/** Every user in a group, and every user with a role from a group. */
export async function listGroupedUserIds(db: Db, directory: Directory): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select user_id as id from scim_group_members where directory_id = ${directory.id}
    union select id from users where directory_id = ${directory.id} and scim_role is not null
      and scim_managed and deleted_at is null
    union select user_id from role_assignments where directory_id = ${directory.id} and source = 'scim'`.execute(db)
  return rows.map(({ id }) => id)
}

/** A change of members: some members leave, or all except those that stay, and others join. */
export interface MemberSets {
  users: string[]
  groups: string[]
  /** Null means all members who are not in `added`. */
  removed: string[] | null
}

/** A user or group that was added or removed. */
export interface ChangedMember {
  id: string
  came: boolean
  type: 'User' | 'Group'
}

/** Changes the members of a group. Returns the users and groups that actually joined and left. */
export async function changeMemberRows(
  tx: Tx,
  directory: Directory,
  groupId: string,
  { users, groups, removed }: MemberSets,
): Promise<ChangedMember[]> {
  const goes = (column: string, kept: string[]) =>
    removed === null
      ? sql`${sql.ref(column)} <> all(${kept}::uuid[])`
      : sql`${sql.ref(column)} = any(${removed}::uuid[])`
  const { rows } = await sql<ChangedMember>`
    with users_gone as (
      delete from scim_group_members where directory_id = ${directory.id} and group_id = ${groupId}
        and ${goes('user_id', users)} returning user_id as id),
    groups_gone as (
      delete from scim_group_groups where directory_id = ${directory.id} and group_id = ${groupId}
        and ${goes('member_id', groups)} returning member_id as id),
    users_come as (
      insert into scim_group_members (directory_id, group_id, user_id)
      select ${directory.id}::uuid, ${groupId}::uuid, given.id from unnest(${users}::uuid[]) as given (id)
      on conflict (directory_id, group_id, user_id) do nothing returning user_id as id),
    groups_come as (
      insert into scim_group_groups (directory_id, group_id, member_id)
      select ${directory.id}::uuid, ${groupId}::uuid, given.id from unnest(${groups}::uuid[]) as given (id)
      on conflict (directory_id, group_id, member_id) do nothing returning member_id as id)
    select id, true as came, 'User' as type from users_come union all select id, true, 'Group' from groups_come
    union all select id, false, 'User' from users_gone union all select id, false, 'Group' from groups_gone`.execute(tx)
  return rows
}

/** The roles that each of these users gets from groups. */
export async function findGivenRoles(
  db: Db,
  directory: Directory,
  userIds: string[],
  rules: RoleRule[],
): Promise<Map<string, GivenRoles>> {
  const { rows } = await sql<{ id: string; roles: string[] }>`
    select m.user_id as id, array_agg(distinct rule.role) as roles
    from scim_group_members m
      join scim_groups g on g.directory_id = m.directory_id and g.id = m.group_id
      join unnest(${rules.map(({ group }) => group)}::text[], ${rules.map(({ role }) => role)}::text[])
        as rule (name, role) on rule.name in (g.display_name, g.external_id, g.id::text)
    where m.directory_id = ${directory.id} and m.user_id = any(${userIds}::uuid[])
    group by m.user_id`.execute(db)
  return new Map(
    rows.map(({ id, roles }) => {
      const role = roles.includes('admin') ? 'admin' : roles.includes('member') ? 'member' : null
      return [id, { role, roleIds: roles.filter((each) => each !== 'admin' && each !== 'member') }]
    }),
  )
}

/**
 * Lists the members of these groups. Their names are looked up by lists of ids. In a join with the whole directory,
 * the planner might compare each row with all others, because statistics may not know yet how many there are.
 */
export async function listMemberRows(db: Db, directory: Directory, groupIds: string[]): Promise<MemberRow[]> {
  const { rows: members } = await sql<Omit<MemberRow, 'display'>>`
    select group_id, user_id as id, 'User' as type from scim_group_members
    where directory_id = ${directory.id} and group_id = any(${groupIds}::uuid[])
    union all
    select group_id, member_id, 'Group' from scim_group_groups
    where directory_id = ${directory.id} and group_id = any(${groupIds}::uuid[])
    order by 1, 2`.execute(db)
  const idsOf = (wanted: string) => [...new Set(members.filter(({ type }) => type === wanted).map(({ id }) => id))]
  const displays = new Map([
    ...(await listUserDisplays(db, directory, idsOf('User'))),
    ...(await listGroupDisplays(db, directory, idsOf('Group'))),
  ])
  return members.flatMap((member) => {
    const display = displays.get(member.id)
    return display === undefined ? [] : [{ ...member, display }]
  })
}

/** The display names of provisioned users, by id. */
async function listUserDisplays(db: Db, directory: Directory, ids: string[]): Promise<[string, string][]> {
  if (ids.length === 0) return []
  const users = await db
    .selectFrom('users')
    .select(['id', 'display_name'])
    .where('directory_id', '=', directory.id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute()
  const said = await db
    .selectFrom('scim_users')
    .select(['user_id', 'user_name'])
    .where('directory_id', '=', directory.id)
    .where('user_id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute()
  const names = new Map(users.map(({ id, display_name }) => [id, display_name]))
  return said.flatMap(({ user_id, user_name }) => {
    const name = names.get(user_id)
    return name === undefined ? [] : [[user_id, name ?? user_name]]
  })
}

async function listGroupDisplays(db: Db, directory: Directory, ids: string[]): Promise<[string, string][]> {
  const groups = ids.length > 0 ? await findGroupRows(db, directory, ids) : []
  return groups.map(({ id, display_name }) => [id, display_name])
}

/** The groups that a list finds. */
export const listedGroups = (directory: Directory, { condition }: List) => sql`
  from scim_groups g
    left join scim_group_versions shown on shown.directory_id = ${directory.id} and shown.group_id = g.id
  where g.directory_id = ${directory.id} ${condition ? sql`and ${condition}` : sql``}`

export async function selectGroupPage(
  db: Db,
  directory: Directory,
  list: List,
  { key, clause }: { key: RawBuilder<string>; clause: RawBuilder<unknown> },
): Promise<(GroupRow & { sort_key: string })[]> {
  const { rows } = await sql<GroupRow & { sort_key: string }>`
    select g.*, shown.version as shown_version, shown.changed_at as shown_at, ${key} as sort_key ${listedGroups(directory, list)} ${clause}`.execute(
    db,
  )
  return rows
}

export async function countGroupRows(db: Db, directory: Directory, list: List): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count ${listedGroups(directory, list)}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
