import { sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import { COVER_TYPE, erasedColumns, isUnerased } from '../../../platform/events/erased.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import { eventText } from './chain-store.ts'
import type { EventText } from './digest.ts'

const behind = (after: Position) =>
  sql`(e.epoch, e.tx_id, e.id) > (${after.epoch}::bigint, ${after.txId}::xid8, ${after.id}::uuid)`

/** The newest events of a directory, newest first. */
export async function selectNewestTexts(db: Db, directoryId: string, limit: number): Promise<EventText[]> {
  const { rows } = await sql<EventText>`select ${eventText} from events e where e.directory_id = ${directoryId}
    order by e.epoch desc, e.tx_id desc, e.id desc limit ${limit}`.execute(db)
  return rows
}

/** The events of a directory after a position, in the order of the stream. */
export async function selectTexts(db: Db, directoryId: string, after: Position, limit: number): Promise<EventText[]> {
  const { rows } = await sql<EventText>`select ${eventText} from events e
    where e.directory_id = ${directoryId} and ${behind(after)}
    order by e.epoch, e.tx_id, e.id limit ${limit}`.execute(db)
  return rows
}

/** Only the positions of these events. */
export async function selectPlaces(db: Db, directoryId: string, after: Position, limit: number): Promise<Position[]> {
  const { rows } = await sql<Position>`select e.epoch, e.tx_id::text as "txId", e.id from events e
    where e.directory_id = ${directoryId} and ${behind(after)}
    order by e.epoch, e.tx_id, e.id limit ${limit}`.execute(db)
  return rows
}

/** Which of these events still have their personal parts. */
export async function selectUnerased(db: Db, directoryId: string, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from events where directory_id = ${directoryId}
    and id = any(${uuidArray(ids)}::uuid[]) and ${isUnerased} and type <> ${COVER_TYPE} order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Erases the personal parts of events. */
export async function eraseRows(tx: Tx, directoryId: string, ids: string[]): Promise<void> {
  // Foreign table events: erases personal parts, whose digests stay in the chain.
  await sql`update events set ${erasedColumns} where directory_id = ${directoryId}
    and id = any(${uuidArray(ids)}::uuid[]) and ${isUnerased} and type <> ${COVER_TYPE}`.execute(tx)
}
