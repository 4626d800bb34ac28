import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import { withClient } from '../db/client.ts'
import { waitUntilDeadline } from '../db/deadline.ts'
import { fromDatabase } from '../db/failure.ts'
import type { Db } from '../db/pool.ts'
import { sessionParameters } from '../db/session-settings.ts'
import { defineErrors } from '../errors.ts'
import type { JobHandler } from '../jobs/queue.ts'
import type { Log } from '../observability/log.ts'
import { type Platform, perPlatform } from '../platform.ts'
import type { Position } from './event-cursor.ts'

/** How far back the stream can be read. The rows themselves are kept longer. */
export const STREAM_DAYS = 30

const AGAIN = 'Read the current state of the resources that you follow, then start again without a cursor.'

export const streamErrors = defineErrors({
  cursorExpired: [
    400,
    'cursor_expired',
    'The feed cannot continue from this cursor',
    `The cursor is older than ${STREAM_DAYS} days, which is how far back the feed goes, or it comes from another copy of the database, for example after a backup was restored. ${AGAIN}`,
  ],
})

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** Sorts after every event of a transaction. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Returns where reading starts: after the requested position, or as far back as the stream can be read. While the
 * stream is younger than that, this is its beginning. Throws `cursor_expired`.
 */
export async function findStart(platform: Platform, asked: Position | null): Promise<Position> {
  const { db } = platform
  let state = await readState(db, asked)
  // The database failed over while the service was running.
  if (state.moved) {
    await waitUntilDeadline(beginEpochOnce(platform))
    state = await readState(db, asked)
  }
  const { epoch, txId } = state.mark ?? { epoch: 0, txId: '0' }
  const oldest = { epoch, txId, id: FIRST_ID }
  if (!asked) return oldest
  // Within an epoch the end only moves forward. If a reader is beyond it, the reader has read events from a copy that
  // is lost, and would skip the different events that get these positions later.
  if (!state.known || state.ahead || state.lost)
    throw expired('comes from another copy of the database, for example after a backup was restored')
  if (isBefore(asked, oldest)) throw expired(`is older than ${STREAM_DAYS} days, which is how far back the feed goes`)
  return asked
}

/** The state of the stream, and how a position compares with it. */
interface StreamState {
  /** The oldest position that can be read. */
  mark: { epoch: number; txId: string } | null
  known: boolean | null
  ahead: boolean | null
  /** Whether the position is beyond the end of an epoch whose last events were lost. */
  lost: boolean | null
  /** Whether the database is no longer the one in which this epoch began. */
  moved: boolean | null
}

/** Returns the oldest position from which the stream can be read, or null if the whole stream can be read. */
export async function findMark(db: Db): Promise<{ epoch: number; txId: string } | null> {
  const { rows } = await sql<StreamState>`select ${currentMark} as mark`.execute(db)
  return rows[0]?.mark ?? null
}

const currentMark = sql`(
  select jsonb_build_object('epoch', epoch, 'txId', tx_id::text) from event_marks
  where at <= clock_now() - make_interval(days => ${STREAM_DAYS}) order by at desc limit 1)`

async function readState(db: Db, asked: Position | null): Promise<StreamState> {
  const { rows } = await sql<StreamState>`
    select ${currentMark} as mark,
      ${asked?.epoch ?? null}::bigint = any(earlier || epoch) as known,
      ${asked?.epoch ?? null}::bigint = epoch
        and ${asked?.txId ?? null}::xid8 >= pg_snapshot_xmin(pg_current_snapshot()) as ahead,
      ${asked?.txId ?? null}::xid8 > (ends ->> ${asked?.epoch ?? null}::bigint::text)::xid8 as lost,
      event_cluster() <> cluster as moved
    from event_stream`.execute(db)
  const [state] = rows
  if (!state) throw new Error('The stream of events has no state')
  return state
}

function expired(why: string) {
  return streamErrors.cursorExpired({ detail: `The cursor ${why}. ${AGAIN}` })
}

function isBefore(a: Position, b: Position): boolean {
  if (a.epoch !== b.epoch) return a.epoch < b.epoch
  return firstUnread(a) < firstUnread(b)
}

/** The transaction where a reader continues. A reader that has read all of one transaction continues at the next. */
function firstUnread({ txId, id }: Position): bigint {
  return id === LAST_ID ? BigInt(txId) + 1n : BigInt(txId)
}

/** Records the current position of the stream every hour. */
export const markEventStream: JobHandler = {
  name: 'events.mark',
  cron: '7 * * * *',
  async handle(platform) {
    const { db } = platform
    await beginEpochOnce(platform)
    await sql`insert into event_marks (epoch, tx_id)
      select epoch, pg_snapshot_xmin(pg_current_snapshot()) from event_stream on conflict do nothing`.execute(db)
    // Keeps the newest of the old marks, however long the service was down, because a reader may be there and none is
    // before it.
    await sql`delete from event_marks where at < (
      select max(at) from event_marks where at < clock_now() - make_interval(days => ${STREAM_DAYS + 2}))`.execute(db)
  },
}

const PROMOTED =
  'The database was promoted or restored to an earlier point in time. If it may have lost transactions, run ' +
  '`npx watchword recover`.'

/**
 * Begins a new epoch if the database is a copy from another cluster or was restored to an earlier point in time. New
 * transaction ids may then be lower than those of stored events and of readers' cursors. Runs before anything is
 * recorded at each start, every hour, and when a process finds another database. Logs a promotion. (Copies are
 * reported where the database's identity is checked.)
 *
 * Writes only if the database has changed. The commit may hang, for example in a promoted standby that waits for its
 * own standby. Later calls then fail after waiting a second for the lock, so only one connection hangs.
 */
export async function beginEventEpoch(url: string, log: Log): Promise<void> {
  await fromDatabase(() =>
    withClient(url, { application_name: 'watchword-migrate', ...sessionParameters }, async (client) => {
      const { rows } = await client.query<{ due: boolean }>(
        'select cluster is distinct from coalesce(event_cluster(), cluster) as due from event_stream',
      )
      if (rows[0]?.due) await begin(client, log)
    }),
  )
}

async function begin(client: ClientBase, log: Log): Promise<void> {
  // Random, so that if one backup is restored twice, neither copy accepts the other's cursors.
  const step = randomInt(1, 2 ** 32)
  await client.query('begin')
  const { rows } = await client.query<{ before: string | null; present: string | null }>(
    'select cluster as before, event_cluster() as present from event_stream for update',
  )
  await client.query(
    `update event_stream set epoch = epoch + $1::bigint, earlier = earlier || epoch where cluster <> event_cluster()`,
    [step],
  )
  await client.query('update event_stream set cluster = coalesce(event_cluster(), cluster)')
  const { before = null, present = null } = rows[0] ?? {}
  // Logged before the commit, whose result may be lost: later calls would find nothing to report.
  if (before && present && isOtherTimeline(before, present)) log.warn({}, PROMOTED)
  await client.query('commit')
}

const beginning = perPlatform((): { current: Promise<void> | null } => ({ current: null }))

/** Begins an epoch if it is due, once for all callers in this process that ask at the same time. */
export function beginEpochOnce(platform: Platform): Promise<void> {
  const shared = beginning(platform)
  shared.current ??= beginEventEpoch(platform.database.directUrl, platform.log).finally(() => {
    shared.current = null
  })
  return shared.current
}

/** Whether it is the same database of the same cluster, on another timeline. */
function isOtherTimeline(before: string, present: string): boolean {
  const [[system, timeline, oid], [nowSystem, nowTimeline, nowOid]] = [before.split('/'), present.split('/')]
  return system === nowSystem && oid === nowOid && timeline !== nowTimeline
}

/**
 * Refuses cursors of consumers that may have read events which the database has lost. These cursors belong to an epoch
 * that has ended, and are beyond the epoch's last stored event. Their consumers get `cursor_expired` and read the
 * current state. Readers inside the service continue from their positions.
 */
export async function expireLostCursors(platform: Platform): Promise<void> {
  const { db } = platform
  await beginEpochOnce(platform)
  const { rows } = await sql<{ epoch: string }>`select unnest(earlier)::text as epoch from event_stream`.execute(db)
  // Foreign table environments: an index finds the last event of each environment.
  const environments = await db.selectFrom('environments').select('id').execute()
  for (const { epoch } of rows) {
    let last = 0n
    for (const { id } of environments) {
      const event = await sql<{ txId: string }>`
        select tx_id::text as "txId" from events where environment_id = ${id} and epoch = ${epoch}::bigint
        order by tx_id desc limit 1`.execute(db)
      const txId = BigInt(event.rows[0]?.txId ?? 0)
      if (txId > last) last = txId
    }
    await sql`update event_stream set ends = jsonb_build_object(${epoch}::text, ${String(last)}::text) || ends`.execute(
      db,
    )
  }
}
