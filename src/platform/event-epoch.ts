import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { type Db, sqlState } from './db/pool.ts'
import { defineErrors } from './errors.ts'
import type { Position } from './event-cursor.ts'
import type { JobHandler } from './jobs/queue.ts'

/** How far back the stream can be read. The rows themselves are kept. */
export const STREAM_DAYS = 30

const AGAIN = 'Read the current state of what you follow, then start again without a cursor.'

export const streamErrors = defineErrors({
  cursorExpired: [
    400,
    'cursor_expired',
    'The feed does not continue from this cursor',
    `It is older than the ${STREAM_DAYS} days that the feed reaches back, or from another copy of the database, as after ` +
      `a backup was restored. ${AGAIN}`,
  ],
})

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Where reading starts: after the position asked for, or else as far back as the stream can be read, which is the very
 * beginning while the stream is younger than that. Throws `cursor_expired`.
 */
export async function findStart(db: Db, asked: Position | null): Promise<Position> {
  const { rows } = await sql<{
    mark: { epoch: number; txId: string } | null
    known: boolean | null
    ahead: boolean | null
  }>`
    select (
        select jsonb_build_object('epoch', epoch, 'txId', tx_id::text) from event_marks
        where at <= clock_now() - make_interval(days => ${STREAM_DAYS}) order by at desc limit 1) as mark,
      ${asked?.epoch ?? null}::bigint = any(earlier || epoch) as known,
      ${asked?.epoch ?? null}::bigint = epoch
        and ${asked?.txId ?? null}::xid8 >= pg_snapshot_xmin(pg_current_snapshot()) as ahead
    from event_stream`.execute(db)
  const [stream] = rows
  if (!stream) throw new Error('The stream of events has no state')
  const { epoch, txId } = stream.mark ?? { epoch: 0, txId: '0' }
  const oldest = { epoch, txId, id: FIRST_ID }
  if (!asked) return oldest
  // Within an epoch the bound only rises. What a reader has seen beyond it was lost with the copy that it was read from,
  // and other events would come to stand there, to be skipped.
  if (!stream.known || stream.ahead)
    throw expired('is from another copy of the database, as after a backup was restored')
  if (isBefore(asked, oldest)) throw expired(`is older than the ${STREAM_DAYS} days that the feed reaches back`)
  return asked
}

function expired(why: string) {
  return streamErrors.cursorExpired({ detail: `The cursor ${why}. ${AGAIN}` })
}

function isBefore(a: Position, b: Position): boolean {
  if (a.epoch !== b.epoch) return a.epoch < b.epoch
  return BigInt(a.txId) < BigInt(b.txId)
}

/** Records the position of the stream every hour. */
export const markEventStream: JobHandler = {
  name: 'events.mark',
  cron: '7 * * * *',
  async handle({ db, database }) {
    // A failover begins a new timeline under a service that goes on.
    await beginEventEpoch(database.url)
    await sql`insert into event_marks (epoch, tx_id)
      select epoch, pg_snapshot_xmin(pg_current_snapshot()) from event_stream on conflict do nothing`.execute(db)
    await sql`delete from event_marks where at < clock_now() - make_interval(days => ${STREAM_DAYS + 2})`.execute(db)
  },
}

/**
 * Begins a new epoch when the database is a copy from another cluster or was restored to an earlier point in time: new
 * transaction ids may then be lower than those of stored events and of cursors that readers hold. Runs at each start,
 * before anything is recorded.
 */
export async function beginEventEpoch(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'watchword-migrate' })
  await client.connect()
  try {
    const cluster = await nameCluster(client)
    if (cluster === null) return
    await client.query('begin')
    const { rows } = await client.query<{ epoch: number; known: string | null }>(
      'select epoch, cluster as known from event_stream for update',
    )
    const [stream] = rows
    if (stream && stream.known !== cluster) await client.query('update event_stream set cluster = $1', [cluster])
    if (stream && stream.known !== null && stream.known !== cluster) {
      // A random step: of one backup restored twice, neither copy takes the cursors of the other for its own.
      const epoch = stream.epoch + randomInt(1, 2 ** 32)
      await client.query('update event_stream set epoch = $1, earlier = earlier || epoch', [epoch])
      await client.query(`alter table events alter column epoch set default ${epoch}`)
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}

/** The cluster and its timeline, or null if the database does not let us read them. */
async function nameCluster(client: pg.Client): Promise<string | null> {
  try {
    const { rows } = await client.query<{ name: string }>(
      `select system_identifier || '/' || timeline_id as name from pg_control_system(), pg_control_checkpoint()`,
    )
    return rows[0]?.name ?? null
  } catch (error) {
    if (sqlState(error) === null) throw error
    return null
  }
}
