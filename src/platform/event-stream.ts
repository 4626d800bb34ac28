import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { keyedHash, sameHash } from './crypto/tokens.ts'
import { type Db, sqlState } from './db/pool.ts'
import { defineErrors, invalidField } from './errors.ts'
import type { Reach } from './http/directory.ts'
import { cursors } from './http/pagination.ts'
import type { JobHandler } from './jobs/queue.ts'
import type { Platform } from './platform.ts'
import type { Work } from './work.ts'

/** How far back the stream can be read. The rows themselves are kept. */
export const STREAM_DAYS = 30

/** A position in the stream: at an event, or between two. Readers continue after it. */
interface Position {
  epoch: number
  txId: string
  id: string
}

/** An event as readers of the stream see it. */
export interface StreamedEvent {
  id: string
  directory_id: string
  organization_id: string | null
  environment_slug: string
  type: string
  actor_type: string
  actor_id: string | null
  target_type: string | null
  target_id: string | null
  request_id: string | null
  ip_address: string | null
  user_agent: string | null
  data: unknown
  previous: unknown
  created_at: Date
}

export interface StreamPage {
  events: StreamedEvent[]
  /** Where to continue, now or later; always present. */
  cursor: string
  /** Whether more can be read right away. */
  hasMore: boolean
}

export const streamErrors = defineErrors({
  cursorExpired: [
    400,
    'cursor_expired',
    'The cursor is too old',
    `Events after it are no longer in the feed, which reaches ${STREAM_DAYS} days back. Read the current state of what ` +
      'you follow, then start again without a cursor.',
  ],
})

// However rare a type is, one call scans no more events than this; the next continues after them.
const LOOKED_AT = 5000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Events after a position in the stream, in the order in which their transactions began to write. Reading stops before
 * the oldest transaction still in progress, so an event that commits late is read late, and no event is skipped or read
 * twice. Throws `invalid_request` for a cursor of another stream, and `cursor_expired`.
 */
export async function readStream(
  { platform, directory: reach }: Pick<Work<Reach>, 'platform' | 'directory'>,
  after: string | null,
  { types = null, limit }: { types?: string[] | null; limit: number },
): Promise<StreamPage> {
  const { db } = platform
  const oldest = await findOldest(db)
  const start = after === null ? oldest : openPosition(platform, reach, after)
  if (isBefore(start, oldest)) throw streamErrors.cursorExpired()
  const { rows } = await sql<Partial<StreamedEvent> & Bound & { position: Position | null; looked_at: number }>`
    with bound as (
      select epoch, pg_snapshot_xmin(pg_current_snapshot()) as tx_id from event_stream),
    looked as materialized (
      select e.directory_id, e.id, e.epoch, e.tx_id, e.type from events e
      where ${within(reach)} and (e.epoch, e.tx_id, e.id) > (${start.epoch}, ${start.txId}::xid8, ${start.id}::uuid)
        and (e.epoch, e.tx_id) < ((select epoch from bound), (select tx_id from bound))
      order by e.epoch, e.tx_id, e.id limit ${LOOKED_AT}),
    found as (
      select looked.* from looked join directories d on d.id = looked.directory_id
      where d.kind <> 'console' ${types ? sql`and looked.type = any(${types})` : sql``}
      order by looked.epoch, looked.tx_id, looked.id limit ${limit + 1})
    select bound.epoch as bound_epoch, bound.tx_id::text as bound_tx_id,
      (select count(*)::int from looked) as looked_at,
      (select jsonb_build_object('epoch', epoch, 'txId', tx_id::text, 'id', id) from looked
        order by epoch desc, tx_id desc, id desc limit 1) as last_looked,
      jsonb_build_object('epoch', found.epoch, 'txId', found.tx_id::text, 'id', found.id) as position,
      e.id, e.directory_id, d.organization_id, environments.slug as environment_slug, e.type, e.actor_type, e.actor_id,
      e.target_type, e.target_id, e.request_id, e.ip_address, e.user_agent, e.data, e.previous, e.created_at
    from bound left join found on true
      left join events e on e.directory_id = found.directory_id and e.id = found.id
      left join directories d on d.id = e.directory_id
      left join environments on environments.id = e.environment_id
    order by found.epoch, found.tx_id, found.id`.execute(db)
  const [first] = rows
  if (!first) throw new Error('The stream of events has no state')
  const found = rows.filter(isEvent)
  const events = found.slice(0, limit)
  const cursor = endOf(first, found, limit)
  return { events, cursor: sealPosition(platform, reach, cursor.position), hasMore: cursor.hasMore }
}

interface Bound {
  bound_epoch: number
  bound_tx_id: string
  last_looked: Position | null
}

type Found = StreamedEvent & { position: Position }

function isEvent<R extends Partial<StreamedEvent> & { position: Position | null }>(row: R): row is R & Found {
  return row.id !== null && row.id !== undefined && row.position !== null
}

/** Where reading ended: after the last event of a full page, after all that was scanned, or at the bound. */
function endOf(
  row: Bound & { looked_at: number },
  found: Found[],
  limit: number,
): { position: Position; hasMore: boolean } {
  const last = found[limit - 1]
  if (found.length > limit && last) return { position: last.position, hasMore: true }
  if (row.looked_at === LOOKED_AT && row.last_looked) return { position: row.last_looked, hasMore: true }
  // After everything that is settled, though no event is there: the cursor of a quiet tenant does not expire.
  const txId = String(BigInt(row.bound_tx_id) - 1n)
  return { position: { epoch: row.bound_epoch, txId, id: LAST_ID }, hasMore: false }
}

function within(reach: Reach): RawBuilder<unknown> {
  return reach.directory ? sql`e.directory_id = ${reach.directory.id}` : sql`e.environment_id = ${reach.environmentId}`
}

/** The oldest position that can still be read: the very beginning while the stream is younger than that. */
async function findOldest(db: Db): Promise<Position> {
  const { rows } = await sql<{ epoch: number; tx_id: string }>`
    select epoch, tx_id::text from event_marks where at <= clock_now() - make_interval(days => ${STREAM_DAYS})
    order by at desc limit 1`.execute(db)
  const [mark] = rows
  return { epoch: mark?.epoch ?? 0, txId: mark?.tx_id ?? '0', id: FIRST_ID }
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
    if (stream && stream.known !== cluster) {
      const epoch = stream.known === null ? stream.epoch : stream.epoch + 1
      await client.query('update event_stream set epoch = $1, cluster = $2', [epoch, cluster])
      if (stream.known !== null) await client.query(`alter table events alter column epoch set default ${epoch}`)
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

const POSITION_BYTES = 4 + 8 + 16
const MAC_BYTES = 16
const FORM = /^[A-Za-z0-9_-]{59}$/

/** Signed, and bound to its reach: clients cannot come to depend on its content or use it for another reach. */
function sealPosition(platform: Platform, reach: Reach, { epoch, txId, id }: Position): string {
  const place = Buffer.alloc(POSITION_BYTES)
  place.writeUInt32BE(epoch)
  place.writeBigUInt64BE(BigInt(txId), 4)
  place.write(id.replaceAll('-', ''), 12, 'hex')
  return Buffer.concat([place, sign(platform, reach, place)]).toString('base64url')
}

function openPosition(platform: Platform, reach: Reach, cursor: string): Position {
  const bytes = Buffer.from(FORM.test(cursor) ? cursor : '', 'base64url')
  const place = bytes.subarray(0, POSITION_BYTES)
  if (
    bytes.length !== POSITION_BYTES + MAC_BYTES ||
    !sameHash(bytes.subarray(POSITION_BYTES), sign(platform, reach, place))
  ) {
    const message = 'after must be a next_cursor of this feed, read with the same subOrgId, or without one, as before'
    throw invalidField('after', 'cursor', message)
  }
  const id = place.toString('hex', 12).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { epoch: place.readUInt32BE(), txId: String(place.readBigUInt64BE(4)), id }
}

function sign(platform: Platform, reach: Reach, place: Buffer): Buffer {
  const whose = reach.directory?.id ?? reach.environmentId
  return keyedHash(platform.keyring.hashKey(cursors), 'event-stream', whose, place.toString('hex')).subarray(
    0,
    MAC_BYTES,
  )
}
