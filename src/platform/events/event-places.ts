import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { isUnerased } from './erased.ts'
import type { Position } from './event-cursor.ts'
import { LAST_ID } from './event-epoch.ts'
import type { StreamedEvent } from './event-rows.ts'

/** The position of an event in the stream, without its content. */
export interface EventPlace extends Position {
  directoryId: string
  type: string
  createdAt: Date
}

/** The events of a directory, or of a whole environment. `withConsole` includes the account's own team. */
export type Sources = { directoryId: string } | { environmentId: string; withConsole?: boolean }

/**
 * Returns up to `limit` events after a position, in stream order, and the position where they end. Stops before the
 * oldest transaction in progress, as `readStream` does, so that no event is skipped.
 */
export async function readPlaces(
  db: Db,
  sources: Sources,
  after: Position,
  limit: number,
): Promise<{ places: EventPlace[]; end: Position; hasMore: boolean }> {
  const whose =
    'directoryId' in sources
      ? sql`e.directory_id = ${sources.directoryId}`
      : sql`e.environment_id = ${sources.environmentId}`
  const { rows } = await sql<Position & { found: EventPlace | null; of_console: boolean; created_at: Date | null }>`
    with bound as (select epoch, pg_snapshot_xmin(pg_current_snapshot()) as tx_id from event_stream),
    scanned as materialized (
      select e.directory_id, e.id, e.epoch, e.tx_id, e.type, e.created_at from events e
      where ${whose} and (e.epoch, e.tx_id, e.id) > (${after.epoch}::bigint, ${after.txId}::xid8, ${after.id}::uuid)
        and (e.epoch, e.tx_id) < ((select epoch from bound), (select tx_id from bound))
      order by e.epoch, e.tx_id, e.id limit ${limit})
    select bound.epoch, bound.tx_id::text as "txId", ${LAST_ID}::text as id, d.kind = 'console' as of_console,
      scanned.created_at,
      case when scanned.id is not null then jsonb_build_object('epoch', scanned.epoch, 'txId', scanned.tx_id::text,
        'id', scanned.id, 'directoryId', scanned.directory_id, 'type', scanned.type) end as found
    from bound left join scanned on true left join directories d on d.id = scanned.directory_id
    order by scanned.epoch, scanned.tx_id, scanned.id`.execute(db)
  const [bound] = rows
  if (!bound) throw new Error('The stream of events has no state')
  const places = rows.flatMap(({ found, created_at, of_console }) =>
    found && created_at ? [{ place: { ...found, createdAt: created_at }, of_console }] : [],
  )
  const withConsole = 'withConsole' in sources && sources.withConsole
  const last = places.length === limit ? places.at(-1)?.place : undefined
  return {
    places: places.filter(({ of_console }) => withConsole || !of_console).map(({ place }) => place),
    end: last ? { epoch: last.epoch, txId: last.txId, id: last.id } : below(bound),
    hasMore: last !== undefined,
  }
}

/** The position after all events that can be read now. */
export async function currentPosition(db: Db): Promise<Position> {
  const { rows } = await sql<Position>`select epoch, pg_snapshot_xmin(pg_current_snapshot())::text as "txId",
    ${LAST_ID}::text as id from event_stream`.execute(db)
  const [bound] = rows
  if (!bound) throw new Error('The stream of events has no state')
  return below(bound)
}

/**
 * A position before every event since `at`, as close to it as the stream's marks allow, or else the stream's
 * beginning.
 */
export async function positionBefore(db: Db, at: Date): Promise<Position> {
  const { rows } = await sql<{ epoch: number; txId: string }>`select epoch, tx_id::text as "txId" from event_marks
    where at <= ${at} order by at desc limit 1`.execute(db)
  return below({ ...(rows[0] ?? { epoch: 0, txId: '1' }), id: LAST_ID })
}

function below({ epoch, txId, id }: Position): Position {
  return { epoch, txId: String(BigInt(txId) - 1n), id }
}

/** Finds events by their positions. Leaves out events that were removed or erased. */
export async function findEvents(
  db: Db,
  refs: readonly { directoryId: string; id: string }[],
): Promise<StreamedEvent[]> {
  const { rows } = await sql<StreamedEvent>`
    select e.id, e.directory_id, d.organization_id, environments.slug as environment_slug, e.type, e.actor_type,
      e.actor_id, e.via, e.on_behalf_of, e.target_type, e.target_id, e.request_id, e.ip_address, e.user_agent, e.data,
      e.previous, e.created_at
    from events e join directories d on d.id = e.directory_id join environments on environments.id = e.environment_id
    where (e.directory_id, e.id) in (${sql.join(refs.map((ref) => sql`(${ref.directoryId}::uuid, ${ref.id}::uuid)`))})
      and ${isUnerased}`.execute(db)
  return rows
}
