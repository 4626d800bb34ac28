import { sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { findMark } from '../../../platform/events/event-epoch.ts'

/** The oldest position from which the event feed can be read. */
export type Mark = NonNullable<Awaited<ReturnType<typeof findMark>>>

const DIRECTORIES = 500

/** The feed goes back 30 days, and the database refuses to remove events of the last 35 days. */
export const RETENTION_DAYS = { min: 35, max: 3650 }

/** Directories that may have events past their retention, each with its own or inherited number of days. */
export async function listDue(db: Db, byDefault: number, after: string): Promise<{ id: string; days: number }[]> {
  const { rows } = await sql<{ id: string; days: number }>`
    select d.id, greatest(${RETENTION_DAYS.min}::int, coalesce((own.settings ->> 'retention_days')::int,
      (wide.settings ->> 'retention_days')::int, ${byDefault}::int)) as days
    from directories d
      left join audit_settings own on own.directory_id = d.id
      left join directories account on account.environment_id = d.environment_id and account.kind = 'account'
      left join audit_settings wide on wide.directory_id = account.id
    where d.id > ${after} and d.created_at < clock_now() - make_interval(days => ${RETENTION_DAYS.min}::int)
    order by d.id limit ${DIRECTORIES}`.execute(db)
  return rows
}

interface OldBlock {
  seq: number
  hash: Buffer
  event_ids: string[]
}

/** The oldest blocks. Each block, and all before it, must be past the retention and before the mark. */
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

/** Locks the chain until the transaction ends, so that two processes do not remove its beginning at the same time. */
export async function lockHead(tx: Tx, directoryId: string): Promise<void> {
  await sql`select seq from audit_heads where directory_id = ${directoryId} for update`.execute(tx)
}

/** Removes the blocks up to the new anchor, with their events. */
export async function removeBlocks(
  tx: Tx,
  directoryId: string,
  { eventIds, anchor }: { eventIds: string[]; anchor: { seq: number; hash: Buffer; seal: Buffer } },
): Promise<void> {
  // Foreign table events: old events are removed together with the blocks that chain them.
  await sql`delete from events where directory_id = ${directoryId}
    and id = any(${uuidArray(eventIds)}::uuid[])`.execute(tx)
  await sql`delete from audit_blocks where directory_id = ${directoryId} and seq <= ${anchor.seq}`.execute(tx)
  await sql`update audit_heads set anchor_seq = ${anchor.seq}, anchor_hash = ${anchor.hash}, anchor_seal = ${anchor.seal}
    where directory_id = ${directoryId}`.execute(tx)
}
