import { type RawBuilder, sql } from 'kysely'
import type { Reach } from '../tenancy/directory.ts'
import type { Position } from './event-cursor.ts'

/** An event as its readers see it. */
export interface StreamedEvent {
  id: string
  directory_id: string
  organization_id: string | null
  environment_slug: string
  type: string
  actor_type: string
  actor_id: string | null
  via: unknown
  on_behalf_of: unknown
  target_type: string | null
  target_id: string | null
  request_id: string | null
  ip_address: string | null
  user_agent: string | null
  data: unknown
  previous: unknown
  created_at: Date
}

/** The most events that one statement scans for a filter. The next page continues after them. */
export const EVENT_SCAN_LIMIT = 5000
/** However large events are, a page ends with the one that makes it longer. */
export const PAGE_BYTES = 4_000_000

/** A row of a page, which is without an event where the page is empty. */
export type PageRow = Partial<StreamedEvent> & { position: Position | null }

export function isEvent<R extends PageRow>(row: R): row is R & StreamedEvent & { position: Position } {
  return row.position !== null
}

/** A `PageRow` of `page`, to be followed by `eventOwners` in the from clause. */
export const eventColumns = sql`case when page.id is not null then ${position('page')} end as position, page.id,
  page.directory_id, d.organization_id, environments.slug as environment_slug, page.type, page.actor_type, page.actor_id,
  page.via, page.on_behalf_of, page.target_type, page.target_id, page.request_id, page.ip_address, page.user_agent, page.data, page.previous,
  page.created_at`

export const eventOwners = sql`left join directories d on d.id = page.directory_id
  left join environments on environments.id = page.environment_id`

/** Where a row of this table stands in the stream. */
export function position(table: string): RawBuilder<Position> {
  const [epoch, txId, id] = ['epoch', 'tx_id', 'id'].map((name) => sql.ref(`${table}.${name}`))
  return sql`jsonb_build_object('epoch', ${epoch}, 'txId', ${txId}::text, 'id', ${id})`
}

/** The rows of this table that are of what a caller reaches. */
export function within(reach: Reach, table: string): RawBuilder<unknown> {
  return reach.directory
    ? sql`${sql.ref(`${table}.directory_id`)} = ${reach.directory.id}`
    : sql`${sql.ref(`${table}.environment_id`)} = ${reach.environmentId}`
}
