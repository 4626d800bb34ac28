import { sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'

/** Directories up to this size are counted at each request. For larger ones, a job stores the count. */
export const COUNTED_AT_ONCE = 200

export interface UserCount {
  user_count: number
  /** The time for which the count is correct. */
  user_counted_at: Date
}

interface Counted extends UserCount {
  organization_id: string
}

/**
 * How many users each of these organizations has in an environment, by organization. Counts small directories and
 * reads the stored count of larger ones. A directory that grows beyond `COUNTED_AT_ONCE` gets a stored count within a
 * minute.
 */
export async function findUserCounts(
  db: Db,
  environmentId: string,
  organizationIds: string[],
): Promise<Map<string, UserCount>> {
  // In two statements, because a distributed database cannot count users for each row of a table that is not
  // distributed.
  const { rows } = await sql<Counted & { directory_id: string | null; kept: number | null }>`
    select asked.id as organization_id, d.id as directory_id, d.user_count as kept,
      case when d.user_count is null then clock_now() else coalesce(c.checked_at, clock_now()) end as user_counted_at
    from unnest(${uuidArray(organizationIds)}::uuid[]) as asked (id)
      left join directories d on d.organization_id = asked.id and d.environment_id = ${environmentId}
      left join user_count_cursors c on c.environment_id = d.environment_id`.execute(db)
  const small = rows.flatMap(({ directory_id, kept }) => (directory_id !== null && kept === null ? [directory_id] : []))
  const counts = small.length ? await countUsersOf(db, small) : new Map<string, number>()
  return new Map(
    rows.map(({ organization_id, directory_id, kept, user_counted_at }) => [
      organization_id,
      { user_count: kept ?? counts.get(directory_id ?? '') ?? 0, user_counted_at },
    ]),
  )
}

/** Counts with indexes only: all users who are not deleted, minus the expired sign-ups. */
async function countUsersOf(db: Db, directoryIds: string[]): Promise<Map<string, number>> {
  const ids = uuidArray(directoryIds)
  const { rows } = await sql<{ directory_id: string; count: number }>`
    select directory_id, sum(users)::int as count from (
      select directory_id, count(*) as users from users
      where directory_id = any(${ids}::uuid[]) and deleted_at is null group by directory_id
      union all
      select directory_id, -count(*) from users
      where directory_id = any(${ids}::uuid[]) and deleted_at is null and pending_until <= clock_now()
      group by directory_id) counted
    group by directory_id`.execute(db)
  return new Map(rows.map(({ directory_id, count }) => [directory_id, count]))
}

/** Counts the users of one directory of any size, in parts that each stay within the time limit of a statement. */
export async function countUsers(db: Db, directoryId: string, partSize: number): Promise<number> {
  let count = (await countExpired(db, directoryId)) * -1
  let after: { created_at: Date; id: string } | null = null
  for (;;) {
    const part: CountedPart | null = await countPart(db, directoryId, { after, partSize })
    if (part === null) return Math.max(0, count)
    count += part.count
    after = part
  }
}

async function countExpired(db: Db, directoryId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from users
    where directory_id = ${directoryId} and deleted_at is null and pending_until <= clock_now()`.execute(db)
  return rows[0]?.count ?? 0
}

interface CountedPart {
  count: number
  created_at: Date
  id: string
}

/** Counts up to `partSize` users after a position, in the order of their creation. Null if there are none. */
async function countPart(
  db: Db,
  directoryId: string,
  { after, partSize }: { after: { created_at: Date; id: string } | null; partSize: number },
): Promise<CountedPart | null> {
  const from = after ? sql`and (created_at, id) > (${after.created_at}, ${after.id}::uuid)` : sql``
  const { rows } = await sql<CountedPart>`
    select place::int as count, created_at, id from (
      select created_at, id, row_number() over (order by created_at, id) as place from users
      where directory_id = ${directoryId} and deleted_at is null ${from}
      order by created_at, id limit ${partSize}) part
    order by place desc limit 1`.execute(db)
  return rows[0] ?? null
}

/**
 * Stores the count of a directory. Removes a stored count if the directory is now small enough to be counted at each
 * request.
 */
export async function keepUserCount(db: Db, directoryId: string, count: number): Promise<void> {
  const kept = count > COUNTED_AT_ONCE ? count : null
  // Foreign table directories: `user_count` caches how many users a large organization has.
  await sql`update directories set user_count = ${kept}::int
    where id = ${directoryId} and user_count is distinct from ${kept}::int`.execute(db)
}

/** The position in the event feed up to which an environment's user changes were read. */
export interface CountCursor {
  environmentId: string
  position: Position
  /** The current time. */
  at: Date
}

/** The cursors of all environments. A new environment gets a cursor at the beginning of its feed. */
export async function provideCountCursors(db: Db): Promise<CountCursor[]> {
  const { rows } = await sql<Position & { environment_id: string; has_cursor: boolean; at: Date }>`
    select environments.id as environment_id, c.environment_id is not null as has_cursor, clock_now() as at,
      coalesce(c.epoch, 0)::int as epoch, coalesce(c.tx_id, '0'::xid8)::text as "txId",
      coalesce(c.event_id, '00000000-0000-0000-0000-000000000000'::uuid) as id
    from environments left join user_count_cursors c on c.environment_id = environments.id
    order by environments.id`.execute(db)
  const missing = rows.filter(({ has_cursor }) => !has_cursor).map(({ environment_id }) => environment_id)
  if (missing.length)
    await sql`insert into user_count_cursors (environment_id, epoch, tx_id, event_id, checked_at)
      select missing.id, 0, '0'::xid8, '00000000-0000-0000-0000-000000000000'::uuid, clock_now()
      from unnest(${uuidArray(missing)}::uuid[]) as missing (id) on conflict do nothing`.execute(db)
  return rows.map(({ environment_id, at, epoch, txId, id }) => ({
    environmentId: environment_id,
    position: { epoch, txId, id },
    at,
  }))
}

/**
 * Whether the environment has unread events from `at` or before: the run did not read that far, or another
 * transaction delays the feed.
 */
export async function hasUnreadEvents(
  db: Db,
  environmentId: string,
  { epoch, txId, id }: Position,
  at: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select from events e where e.environment_id = ${environmentId}
      and (e.epoch, e.tx_id, e.id) > (${epoch}::bigint, ${txId}::xid8, ${id}::uuid) and e.created_at <= ${at}
    order by e.epoch, e.tx_id, e.id limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Moves a cursor forward, never back. `at` is the time for which every count is correct; null keeps the previous
 * time.
 */
export async function moveCountCursor(
  db: Db,
  { environmentId, position: { epoch, txId, id }, at }: Omit<CountCursor, 'at'> & { at: Date | null },
): Promise<void> {
  await sql`update user_count_cursors
    set epoch = ${epoch}, tx_id = ${txId}::xid8, event_id = ${id}, checked_at = coalesce(${at}::timestamptz, checked_at)
    where environment_id = ${environmentId}
      and (epoch, tx_id, event_id) <= (${epoch}::bigint, ${txId}::xid8, ${id}::uuid)`.execute(db)
}
