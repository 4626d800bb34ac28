import { CompiledQuery } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import { defineBeside } from '../../../platform/joined/proofs.ts'
import { joinText, type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

export interface LockoutRow {
  network: string
  failures: number
  /** Set if this attempt was the last one allowed. */
  locked_until: Date | null
}

export interface AttemptLimits {
  windowSeconds: number
  durationSeconds: number
  /** In counting order. The counter with `network` '' covers all networks. */
  counters: { network: string; maxAttempts: number }[]
}

/** The statement parameters with the limits of a counter. */
export interface LimitParameters {
  windowSeconds: SqlText
  durationSeconds: SqlText
  maxAttempts: SqlText
}

const LONGEST_LOCK_SECONDS = 3600
// After this many consecutive failures, each failure sets the longest lock (SP 800-63B §3.2.2), so that patience gains
// nothing.
const MAX_CONSECUTIVE = 100

/**
 * Counts an attempt before it is made, on each counter in turn, until one of them is locked. The last attempt allowed
 * sets the lock in the same statement, so that concurrent attempts together cannot exceed the limit.
 * @returns fewer rows than counters if the attempt is refused.
 */
export async function claimAttemptRows(
  db: Db,
  directory: Directory,
  identity: Buffer,
  limits: AttemptLimits,
): Promise<LockoutRow[]> {
  const parts = limits.counters.map((_, i) => {
    const [network, maxAttempts] = [sqlText`$${2 * i + 5}::text`, sqlText`$${2 * i + 6}::int`]
    const allowed = i === 0 ? sqlText`true` : sqlText`exists (select from counted_${i - 1})`
    const source = sqlText`select $1::uuid, $2::bytea, ${network}, 1 where ${allowed}`
    const parameters = { windowSeconds: sqlText`$3::int`, durationSeconds: sqlText`$4::int`, maxAttempts }
    return sqlText`counted_${i} as (${countText(source, parameters)})`
  })
  const all = limits.counters.map((_, i) => sqlText`select * from counted_${i}`)
  const text = sqlText`with ${joinText(parts, ', ')} ${joinText(all, ' union all ')}`
  const counters = limits.counters.flatMap(({ network, maxAttempts }) => [network, maxAttempts])
  const values = [directory.id, identity, limits.windowSeconds, limits.durationSeconds, ...counters]
  return (await db.executeQuery<LockoutRow>(CompiledQuery.raw(text, values))).rows
}

/**
 * Builds a query that counts an attempt for each row of `source` (directory, identity, network, 1). Returns no row for
 * a locked counter. `source` must not contain a counter twice.
 */
export function countText(source: SqlText, limits: LimitParameters): SqlText {
  const { windowSeconds, durationSeconds, maxAttempts } = limits
  // Takes the time from the inserted row, because a distributed database allows no clock call in the update of a
  // conflict.
  const at = sqlText`excluded.window_started_at`
  const startsOver = sqlText`(l.locked_until is not null
    or ${at} - l.window_started_at >= make_interval(secs => ${windowSeconds}))`
  // After a day without a failure, the number of locks starts from zero.
  const locksBefore = sqlText`(case when ${at} - l.window_started_at >= interval '1 day' then 0 else l.locks end)`
  const isHopeless = sqlText`(l.consecutive + 1 >= ${MAX_CONSECUTIVE})`
  const locks = sqlText`((not ${startsOver} and l.failures + 1 >= ${maxAttempts}) or ${isHopeless})`
  const seconds = sqlText`case when ${isHopeless} then ${LONGEST_LOCK_SECONDS} else
    least(${LONGEST_LOCK_SECONDS}, ${durationSeconds} * power(2, least(${locksBefore}, 20))) end`
  return sqlText`
    insert into lockouts as l (directory_id, identity, network, failures) ${source}
    on conflict (directory_id, identity, network) do update set
      failures = case when ${startsOver} then 1 else l.failures + 1 end,
      consecutive = l.consecutive + 1,
      locks = ${locksBefore} + ${locks}::int,
      window_started_at = case when ${startsOver} then ${at} else l.window_started_at end,
      locked_until = case when ${locks} then (${at} at time zone 'UTC' + make_interval(secs => ${seconds})) at time zone 'UTC' end
    where l.locked_until is null or l.locked_until <= ${at}
    returning directory_id, identity, network, failures, locked_until`
}

/** Resets the failures of an address in these networks. The query returns a row for each deleted counter. */
export function clearRows(db: Db, directory: Directory, identity: Buffer, networks: string[]) {
  return db
    .deleteFrom('lockouts')
    .where('directory_id', '=', directory.id)
    .where('identity', '=', identity)
    .where('network', 'in', networks)
    .returning('network')
}

/** Resets the failures in the statement of a sign-in. */
export const clearedFailures = defineBeside({
  name: 'cleared',
  columns: { failed_identity: 'bytea', failed_networks: 'text[]' },
  // Locks rows in the order in which attempts are counted. Citus fails if rows of a join with `ready` are locked
  // directly.
  hold: (directory) => sqlText`
    select l.directory_id, l.identity, l.network
    from (select directory_id, failed_identity, failed_networks from ready order by directory_id, failed_identity) ready
    cross join lateral (
      select * from lockouts where directory_id = ${directory}
        and identity = ready.failed_identity and network = any(ready.failed_networks)
      order by directory_id, identity, network desc for update) l`,
  write: (directory) => sqlText`
    delete from lockouts using held_cleared held, ready
    where lockouts.directory_id = ${directory} and held.directory_id = lockouts.directory_id
      and lockouts.identity = ready.failed_identity and held.identity = lockouts.identity
      and lockouts.network = any(ready.failed_networks) and held.network = lockouts.network`,
})

/** Resets all failures of an address. Returns whether there were any. */
export async function clearAllRows(db: Db, directory: Directory, identity: Buffer): Promise<boolean> {
  const rows = await db
    .deleteFrom('lockouts')
    .where('directory_id', '=', directory.id)
    .where('identity', '=', identity)
    .returning('network')
    .execute()
  return rows.length > 0
}

/** A scalar subquery for the seconds until an address's lock ends for these networks. Null without a lock. */
export function lockedSecondsText(row: { directory: SqlText; identity: SqlText; networks: SqlText }): SqlText {
  return sqlText`(
    select ceil(extract(epoch from max(locked_until) - clock_now()))::int from lockouts
    where directory_id = ${row.directory} and identity = ${row.identity} and network = any(${row.networks})
      and locked_until > clock_now())`
}

/** Returns the same for one address. */
export async function findLockedSeconds(
  db: Db,
  directory: Directory,
  identity: Buffer,
  networks: string[],
): Promise<number | null> {
  const seconds = lockedSecondsText({ directory: sqlText`$1`, identity: sqlText`$2`, networks: sqlText`$3::text[]` })
  const query = CompiledQuery.raw(sqlText`select ${seconds} as seconds`, [directory.id, identity, networks])
  return (await db.executeQuery<{ seconds: number | null }>(query)).rows[0]?.seconds ?? null
}
