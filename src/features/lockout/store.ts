import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'

export interface LockoutRow {
  network: string
  failures: number
  /** Set when this very attempt was the last one allowed. */
  locked_until: Date | null
}

export interface AttemptLimits {
  windowSeconds: number
  durationSeconds: number
  /** `network` '' counts over all networks; in the order in which they are counted. */
  counters: { network: string; maxAttempts: number }[]
}

const LONGEST_LOCK_SECONDS = 3600
// From here on every failure locks for that long (SP 800-63B §3.2.2): patience gains nothing.
const MAX_CONSECUTIVE = 100

/**
 * Counts an attempt before it is made, on each counter, unless one of them is locked: the next counter is touched only
 * when the one before let the attempt pass. Whoever is the last one allowed sets the lock in the same statement, so
 * of any number of attempts at once no more than the limit pass. Fewer rows than counters: the attempt is refused.
 */
export async function claimAttemptRows(
  db: Db,
  directory: Directory,
  identity: Buffer,
  limits: AttemptLimits,
): Promise<LockoutRow[]> {
  const parts = limits.counters.map((counter, i) => {
    const allowed = i === 0 ? sql`true` : sql`exists (select from ${sql.table(`counted_${i - 1}`)})`
    return sql`${sql.table(`counted_${i}`)} as (${countAttempt(directory, identity, limits, { ...counter, allowed })})`
  })
  const all = limits.counters.map((_, i) => sql`select * from ${sql.table(`counted_${i}`)}`)
  const { rows } = await sql<LockoutRow>`with ${sql.join(parts)} ${sql.join(all, sql` union all `)}`.execute(db)
  return rows
}

function countAttempt(
  directory: Directory,
  identity: Buffer,
  limits: AttemptLimits,
  counter: AttemptLimits['counters'][number] & { allowed: RawBuilder<unknown> },
) {
  const startsOver = sql`(l.locked_until is not null
    or l.window_started_at <= clock_now() - make_interval(secs => ${limits.windowSeconds}::int))`
  // A day without a failure forgets how often the address was locked.
  const locksBefore = sql`(case when l.window_started_at <= clock_now() - interval '1 day' then 0 else l.locks end)`
  const isHopeless = sql`(l.consecutive + 1 >= ${MAX_CONSECUTIVE}::int)`
  const locks = sql`((not ${startsOver} and l.failures + 1 >= ${counter.maxAttempts}::int) or ${isHopeless})`
  const seconds = sql`case when ${isHopeless} then ${LONGEST_LOCK_SECONDS}::int else
    least(${LONGEST_LOCK_SECONDS}::int, ${limits.durationSeconds}::int * power(2, least(${locksBefore}, 20))) end`
  return sql`
    insert into lockouts as l (directory_id, identity, network, failures)
    select ${directory.id}::uuid, ${identity}::bytea, ${counter.network}::text, 1 where ${counter.allowed}
    on conflict (directory_id, identity, network) do update set
      failures = case when ${startsOver} then 1 else l.failures + 1 end,
      consecutive = l.consecutive + 1,
      locks = ${locksBefore} + ${locks}::int,
      window_started_at = case when ${startsOver} then clock_now() else l.window_started_at end,
      locked_until = case when ${locks} then clock_now() + make_interval(secs => ${seconds}) end
    where l.locked_until is null or l.locked_until <= clock_now()
    returning network, failures, locked_until`
}

/** Forgets the failures of an address, seen from one network. A row for each counter that was there. */
export function clearRows(db: Db, directory: Directory, identity: Buffer, networks: string[]) {
  return db
    .deleteFrom('lockouts')
    .where('directory_id', '=', directory.id)
    .where('identity', '=', identity)
    .where('network', 'in', networks)
    .returning('network')
}

/** Forgets every failure of an address. Returns whether any counted. */
export async function clearAllRows(db: Db, directory: Directory, identity: Buffer): Promise<boolean> {
  const rows = await db
    .deleteFrom('lockouts')
    .where('directory_id', '=', directory.id)
    .where('identity', '=', identity)
    .returning('network')
    .execute()
  return rows.length > 0
}

/** Seconds until the lock of an address, seen from these networks, ends: null when there is none. A scalar subquery. */
export function lockedSeconds(directory: Directory, identity: Buffer, networks: string[]): RawBuilder<number | null> {
  return sql<number | null>`(
    select ceil(extract(epoch from max(locked_until) - clock_now()))::int from lockouts
    where directory_id = ${directory.id} and identity = ${identity} and network = any(${networks}::text[])
      and locked_until > clock_now())`
}

/** Deletes counters that no longer count. Returns how many. */
export async function deleteOldRows(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from lockouts where (directory_id, identity, network) in (
      select directory_id, identity, network from lockouts
      where window_started_at < clock_now() - interval '30 days'
      order by window_started_at limit ${limit} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
