import { sql } from 'kysely'
import { uuidArray } from '../../platform/db/arrays.ts'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { findMark } from '../../platform/event-epoch.ts'

/** The oldest place from which the stream can be read. */
export type Mark = NonNullable<Awaited<ReturnType<typeof findMark>>>

const DIRECTORIES = 500

/** Directories that may have events past their retention, and how many days that is. */
export async function listDue(db: Db, days: number, after: string): Promise<{ id: string; days: number }[]> {
  const { rows } = await sql<{ id: string; days: number }>`
    select id, ${days}::int as days from directories where id > ${after}
      and created_at < clock_now() - make_interval(days => ${days}::int)
    order by id limit ${DIRECTORIES}`.execute(db)
  return rows
}

interface OldBlock {
  seq: number
  hash: Buffer
  event_ids: string[]
}

/** The oldest blocks, as far as each of them, and all before, are past their retention and before the mark. */
export async function selectOldBlocks(
  db: Db,
  directoryId: string,
  { days, mark, limit }: { days: number; mark: Mark; limit: number },
): Promise<OldBlock[]> {
  const { rows } = await sql<OldBlock & { is_over: boolean }>`
    select seq, hash, event_ids, last_at < clock_now() - make_interval(days => ${days}::int)
      and (epoch, tx_id) < (${mark.epoch}::bigint, ${mark.txId}::xid8) as is_over
    from audit_blocks where directory_id = ${directoryId} order by seq limit ${limit}`.execute(db)
  const young = rows.findIndex(({ is_over }) => !is_over)
  return young < 0 ? rows : rows.slice(0, young)
}

/** Until the transaction ends: the chain goes on, and nobody else removes its beginning. */
export async function lockHead(tx: Tx, directoryId: string): Promise<void> {
  await sql`select seq from audit_heads where directory_id = ${directoryId} for update`.execute(tx)
}

/** Removes the blocks up to the new anchor with their events. */
export async function removeBlocks(
  tx: Tx,
  directoryId: string,
  { eventIds, anchor }: { eventIds: string[]; anchor: { seq: number; hash: Buffer; seal: Buffer } },
): Promise<void> {
  await sql`delete from events where directory_id = ${directoryId}
    and id = any(${uuidArray(eventIds)}::uuid[])`.execute(tx)
  await sql`delete from audit_blocks where directory_id = ${directoryId} and seq <= ${anchor.seq}`.execute(tx)
  await sql`update audit_heads set anchor_seq = ${anchor.seq}, anchor_hash = ${anchor.hash}, anchor_seal = ${anchor.seal}
    where directory_id = ${directoryId}`.execute(tx)
}
