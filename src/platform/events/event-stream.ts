import { sql } from 'kysely'
import type { ReachWork } from '../work.ts'
import { isErased } from './erased.ts'
import { openPosition, type Position, sealPosition } from './event-cursor.ts'
import { findStart, LAST_ID } from './event-epoch.ts'
import {
  EVENT_SCAN_LIMIT,
  eventColumns,
  eventOwners,
  isEvent,
  PAGE_BYTES,
  type PageRow,
  position,
  type StreamedEvent,
  within,
} from './event-rows.ts'

export interface StreamPage {
  events: StreamedEvent[]
  /** Where to continue, now or later. Always present. */
  cursor: string
  /** Whether more events can be read right away. */
  hasMore: boolean
}

/**
 * Returns events after a position in the stream, in the order in which their transactions began to write. Stops before
 * the oldest transaction in progress. An event that commits late is therefore read late, and no event is skipped or
 * read twice. Throws `invalid_request` for a cursor of another stream, and `cursor_expired`.
 */
export async function readStream(
  { platform, reach }: Pick<ReachWork, 'platform' | 'reach'>,
  after: string | null,
  { types = null, limit }: { types?: string[] | null; limit: number },
): Promise<StreamPage> {
  const { db } = platform
  const start = await findStart(platform, after === null ? null : openPosition(platform, reach, after))
  // Every event matches except those of the account's own team.
  const scanLimit = types === null ? limit + 1 : EVENT_SCAN_LIMIT
  const { rows } = await sql<PageRow & Scan>`
    with bound as (
      select epoch, pg_snapshot_xmin(pg_current_snapshot()) as tx_id, ${LAST_ID}::uuid as id from event_stream),
    scanned as materialized (
      select e.directory_id, e.id, e.epoch, e.tx_id, e.type from events e
      where ${within(reach, 'e')} and (e.epoch, e.tx_id, e.id) > (${start.epoch}::bigint, ${start.txId}::xid8, ${start.id}::uuid)
        and (e.epoch, e.tx_id) < ((select epoch from bound), (select tx_id from bound))
      order by e.epoch, e.tx_id, e.id limit ${scanLimit}),
    found as materialized (
      select scanned.* from scanned join directories d on d.id = scanned.directory_id
      where d.kind <> 'console' ${types ? sql`and scanned.type = any(${types})` : sql``}
      order by scanned.epoch, scanned.tx_id, scanned.id limit ${limit + 1}),
    sized as (
      select e.*, sum(octet_length(e.data::text) + coalesce(octet_length(e.previous::text), 0)) over (
        order by e.epoch, e.tx_id, e.id rows between unbounded preceding and 1 preceding) as bytes_before
      from found join events e on e.directory_id = found.directory_id and e.id = found.id),
    page as (
      select * from sized where coalesce(bytes_before, 0) < ${PAGE_BYTES} order by epoch, tx_id, id limit ${limit})
    select ${position('bound')} as bound,
      (select count(*)::int from scanned) as scanned_count,
      (select ${position('scanned')} from scanned order by epoch desc, tx_id desc, id desc limit 1) as last_scanned,
      (select count(*)::int from found) as found,
      ${eventColumns}
    from bound left join page on true
      ${eventOwners}
    order by page.epoch, page.tx_id, page.id`.execute(db)
  const [scan] = rows
  if (!scan) throw new Error('The stream of events has no state')
  const events = rows.filter(isEvent)
  const end = endOf(scan, scanLimit, events)
  const kept = events.filter((event) => !isErased(event))
  return { events: kept, cursor: sealPosition(platform, reach, end.position), hasMore: end.hasMore }
}

/** The results of a scan, in addition to the events of the page. */
interface Scan {
  /** Where reading must stop. The transaction `txId` itself is not read yet. */
  bound: Position
  scanned_count: number
  last_scanned: Position | null
  /** The number of matching events: one more than requested, or fewer. */
  found: number
}

/** Where reading ended: after the last event of a full page, after everything that was scanned, or at the bound. */
function endOf(
  scan: Scan,
  scanLimit: number,
  events: { position: Position }[],
): { position: Position; hasMore: boolean } {
  const last = events.at(-1)
  if (last && scan.found > events.length) return { position: last.position, hasMore: true }
  if (scan.scanned_count === scanLimit && scan.last_scanned) return { position: scan.last_scanned, hasMore: true }
  // Moves past everything that can be read, even without an event, so that the cursor of a quiet tenant does not
  // expire.
  const { epoch, txId, id } = scan.bound
  return { position: { epoch, txId: String(BigInt(txId) - 1n), id }, hasMore: false }
}
