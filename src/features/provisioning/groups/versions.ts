import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { TxWork } from '../../../platform/work.ts'

// Small enough for a statement, which may take three seconds.
const BATCH = 10_000

/**
 * SQL: raises the versions of the groups whose ids the query `ids` selects as `id`. Lock order: after everything else,
 * by id.
 */
export const raisedGroups = (directory: Directory, ids: RawBuilder<unknown>) => sql`
  insert into scim_group_versions as shown (directory_id, group_id, version, changed_at)
  select ${directory.id}::uuid, changed.id, 1, clock_now() from (${ids}) as changed order by changed.id
  on conflict (directory_id, group_id) do update set version = shown.version + 1, changed_at = excluded.changed_at`

/** SQL: does the same for users. */
// Foreign table scim_user_versions: a change of a user's groups changes the user's representation.
const raisedUsers = (directory: Directory, ids: RawBuilder<unknown>) => sql`
  insert into scim_user_versions as shown (directory_id, user_id, version, changed_at)
  select ${directory.id}::uuid, changed.id, 1, clock_now() from (${ids}) as changed order by changed.id
  on conflict (directory_id, user_id) do update set version = shown.version + 1, changed_at = excluded.changed_at`

const raised = { group: raisedGroups, user: raisedUsers }

/** Raises the versions of groups and users whose representation changed. */
export async function raiseVersions(
  tx: Tx,
  directory: Directory,
  kind: keyof typeof raised,
  ids: string[],
): Promise<void> {
  const sorted = [...new Set(ids)].toSorted()
  for (let at = 0; at < sorted.length; at += BATCH) {
    const some = sql`select unnest(${sorted.slice(at, at + BATCH)}::uuid[]) as id`
    await raised[kind](directory, some).execute(tx)
  }
}

/** The groups that a user or a group is a direct member of. */
export async function listGroupIdsOf(db: Db, directory: Directory, memberId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select group_id as id from scim_group_members where directory_id = ${directory.id} and user_id = ${memberId}
    union all
    select group_id from scim_group_groups where directory_id = ${directory.id} and member_id = ${memberId}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Groups show the names of their members, so a changed name changes these groups. */
export async function followMemberName({ db, directory }: TxWork, memberId: string): Promise<void> {
  await raiseVersions(db, directory, 'group', await listGroupIdsOf(db, directory, memberId))
}
