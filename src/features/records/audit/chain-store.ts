import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import type { EventPlace } from '../../../platform/events/event-places.ts'
import { type Columns, recordset, recordsetValues } from '../../../platform/joined/recordset.ts'
import { type SqlText, sqlText } from '../../../platform/joined/sql-text.ts'
import type { Block, EventText } from './digest.ts'

const micros = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint::text`

/** Every column in the form that the digests cover. */
export const eventText = sql`e.directory_id, e.account_id, e.environment_id, e.id, e.epoch::text as epoch,
  e.tx_id::text as tx_id, ${micros('e.created_at')} as created_at, e.type, e.target_type, e.target_id, e.actor_type,
  e.actor_id, e.via::text as via, e.on_behalf_of::text as on_behalf_of, e.request_id, e.ip_address, e.user_agent, e.data::text as data, e.previous::text as previous`

/** Gives every environment a cursor; new ones begin at the start of the stream. Returns the ids of all environments. */
export async function provideCursors(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string; has_cursor: boolean }>`
    select environments.id, audit_cursors.environment_id is not null as has_cursor
    from environments left join audit_cursors on audit_cursors.environment_id = environments.id
    order by environments.id`.execute(db)
  const missing = rows.filter(({ has_cursor }) => !has_cursor).map(({ id }) => id)
  if (missing.length)
    await sql`insert into audit_cursors (environment_id, epoch, tx_id, event_id)
      select id, 0, '0'::xid8, '00000000-0000-0000-0000-000000000000'::uuid
      from unnest(${uuidArray(missing)}::uuid[]) as missing (id) on conflict do nothing`.execute(db)
  return rows.map(({ id }) => id)
}

/** The position of an environment, locked until the transaction ends. Null if another process has locked it. */
export async function lockCursor(tx: Tx, environmentId: string, skips: RawBuilder<unknown>): Promise<Position | null> {
  const { rows } = await sql<Position>`
    select epoch, tx_id::text as "txId", event_id as id from audit_cursors
    where environment_id = ${environmentId} ${skips}`.execute(tx)
  return rows[0] ?? null
}

export async function moveCursor(tx: Tx, environmentId: string, { epoch, txId, id }: Position): Promise<void> {
  await sql`update audit_cursors set epoch = ${epoch}, tx_id = ${txId}::xid8, event_id = ${id}
    where environment_id = ${environmentId}`.execute(tx)
}

/** The events of an environment that follow a position, by id. Reads as many as there are `places`. */
export async function readTexts(
  db: Db,
  environmentId: string,
  after: Position,
  places: EventPlace[],
): Promise<Map<string, EventText>> {
  // Reads one range of an index. With a list of ids and outdated statistics, the planner might read a whole directory
  // for each id.
  const { rows } = await sql<EventText>`
    select ${eventText} from events e where e.environment_id = ${environmentId}
      and (e.epoch, e.tx_id, e.id) > (${after.epoch}::bigint, ${after.txId}::xid8, ${after.id}::uuid)
    order by e.epoch, e.tx_id, e.id limit ${places.length}`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The end of a directory's chain, and the anchor where it begins. */
export interface Head {
  directory_id: string
  seq: number
  hash: Buffer
  anchor_seq: number
  anchor_hash: Buffer | null
  anchor_seal: Buffer | null
}

export async function selectHeads(db: Db, directoryIds: string[]): Promise<Map<string, Head>> {
  const { rows } = await sql<Head>`
    select directory_id, seq, hash, anchor_seq, anchor_hash, anchor_seal from audit_heads
    where directory_id = any(${uuidArray(directoryIds)}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.directory_id, row]))
}

const BLOCK_COLUMNS = {
  directory_id: 'uuid',
  seq: 'int',
  environment_id: 'uuid',
  epoch: 'bigint',
  tx_id: 'text',
  event_id: 'uuid',
  first_at: 'bigint',
  last_at: 'bigint',
  event_ids: 'text[]',
  digests: 'bytea',
  hash: 'bytea',
} as const satisfies Columns

const time = (column: SqlText) => sqlText`timestamptz 'epoch' + ${column} * interval '1 microsecond'`

const APPEND_BLOCKS = sqlText`
  insert into audit_blocks (directory_id, seq, environment_id, epoch, tx_id, event_id, first_at, last_at, event_ids, digests,
    hash, digest_version)
  select directory_id, seq, environment_id, epoch, tx_id::xid8, event_id, ${time(sqlText`first_at`)}, ${time(sqlText`last_at`)},
    event_ids::uuid[], digests, hash, 2 from ${recordset(1, sqlText`given`, BLOCK_COLUMNS)}`

/** Appends blocks and moves the heads of their directories. Fails if a block with the same number exists. */
export async function appendBlocks(tx: Tx, blocks: (Block & { hash: Buffer })[]): Promise<void> {
  const rows = blocks.map((block) => ({
    ...{ directory_id: block.directoryId, seq: block.seq, environment_id: block.environmentId },
    ...{ epoch: block.end.epoch, tx_id: block.end.txId, event_id: block.end.id },
    ...{ first_at: block.firstAt, last_at: block.lastAt, event_ids: block.eventIds },
    ...{ digests: block.digests, hash: block.hash },
  }))
  await tx.executeQuery(CompiledQuery.raw(APPEND_BLOCKS, recordsetValues(rows, BLOCK_COLUMNS)))
  const heads = [...new Map(rows.map((row) => [row.directory_id, row])).values()].sort((a, b) =>
    a.directory_id < b.directory_id ? -1 : 1,
  )
  await tx
    .insertInto('audit_heads')
    .values(heads.map(({ directory_id, seq, hash }) => ({ directory_id, seq, hash })))
    .onConflict((conflict) =>
      conflict
        .column('directory_id')
        .doUpdateSet((eb) => ({ seq: eb.ref('excluded.seq'), hash: eb.ref('excluded.hash') })),
    )
    .execute()
}
