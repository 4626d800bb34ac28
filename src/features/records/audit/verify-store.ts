import { sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import { COVER_TYPE } from '../../../platform/events/erased.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import { eventText } from './chain-store.ts'
import type { Block, EventText } from './digest.ts'

/**
 * Which directories to verify: all directories, or the directories of an account, an environment or an organization.
 */
export interface Range {
  accountId?: string
  environmentId?: string
  organizationId?: string
}

export interface DirectoryRef {
  id: string
  kind: string
  environment: string
  environmentId: string
  organizationId: string | null
  organization: string | null
}

/** A page of the directories in a range. */
export async function listDirectories(db: Db, range: Range, after: string, limit: number): Promise<DirectoryRef[]> {
  const { accountId = null, environmentId = null, organizationId = null } = range
  const { rows } = await sql<DirectoryRef>`
    select d.id, d.kind, environments.slug as environment, d.environment_id as "environmentId",
      d.organization_id as "organizationId", organizations.slug as organization
    from directories d join environments on environments.id = d.environment_id
      left join organizations on organizations.id = d.organization_id
    where d.id > ${after} and (${accountId}::uuid is null or d.account_id = ${accountId}::uuid)
      and (${environmentId}::uuid is null or d.environment_id = ${environmentId}::uuid)
      and (${organizationId}::uuid is null or d.organization_id = ${organizationId}::uuid)
    order by d.id limit ${limit}`.execute(db)
  return rows
}

/** The position up to which an environment's events are chained. */
export async function findCursor(db: Db, environmentId: string): Promise<Position | null> {
  const { rows } = await sql<Position>`select epoch, tx_id::text as "txId", event_id as id from audit_cursors
    where environment_id = ${environmentId}`.execute(db)
  return rows[0] ?? null
}

export async function selectBlocks(
  db: Db,
  directoryId: string,
  after: number,
  limit: number,
): Promise<(Block & { hash: Buffer })[]> {
  const { rows } = await sql<Block & { hash: Buffer }>`
    select directory_id as "directoryId", environment_id as "environmentId", seq,
      jsonb_build_object('epoch', epoch, 'txId', tx_id::text, 'id', event_id) as end,
      (extract(epoch from first_at) * 1000000)::bigint::text as "firstAt",
      (extract(epoch from last_at) * 1000000)::bigint::text as "lastAt", event_ids as "eventIds", digests, hash
    from audit_blocks where directory_id = ${directoryId} and seq > ${after} order by seq limit ${limit}`.execute(db)
  return rows
}

/** The events of a directory after one position and up to another, in the order of the stream. */
export async function selectBetween(
  db: Db,
  directoryId: string,
  { after, until, limit }: { after: Position; until: Position; limit: number },
): Promise<EventText[]> {
  const { rows } = await sql<EventText>`
    select ${eventText} from events e
    where e.directory_id = ${directoryId}
      and (e.epoch, e.tx_id, e.id) > (${after.epoch}::bigint, ${after.txId}::xid8, ${after.id}::uuid)
      and (e.epoch, e.tx_id, e.id) <= (${until.epoch}::bigint, ${until.txId}::xid8, ${until.id}::uuid)
    order by e.epoch, e.tx_id, e.id limit ${limit}`.execute(db)
  return rows
}

export async function selectEvent(db: Db, directoryId: string, id: string): Promise<EventText | null> {
  const { rows } = await sql<EventText>`
    select ${eventText} from events e where e.directory_id = ${directoryId} and e.id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** The events of a directory that record erasures. */
export async function selectCovers(db: Db, directoryId: string): Promise<EventText[]> {
  const { rows } = await sql<EventText>`
    select ${eventText} from events e where e.directory_id = ${directoryId} and e.type = ${COVER_TYPE}
    order by e.epoch, e.tx_id, e.id`.execute(db)
  return rows
}

/** The number of the block that contains an event; null if none does. Reads every block of the directory. */
export async function findBlockOf(db: Db, directoryId: string, eventId: string): Promise<number | null> {
  const { rows } = await sql<{ seq: number }>`select seq from audit_blocks
    where directory_id = ${directoryId} and ${eventId}::uuid = any(event_ids) limit 1`.execute(db)
  return rows[0]?.seq ?? null
}

export async function findBlockHash(db: Db, directoryId: string, seq: number): Promise<Buffer | null> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from audit_blocks where directory_id = ${directoryId} and seq = ${seq}`.execute(db)
  return rows[0]?.hash ?? null
}
