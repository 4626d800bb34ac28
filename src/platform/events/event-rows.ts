import { type RawBuilder, sql } from 'kysely'
import type { Reach } from '../tenancy/directory.ts'
import type { Position } from './event-cursor.ts'

/** An event as readers see it. */
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

/** The number of events that one statement scans at most to find matches. The next page continues after them. */
export const EVENT_SCAN_LIMIT = 5000
/** A page ends with the event that makes it longer than this, however large that event is. */
export const PAGE_BYTES = 4_000_000

/** A row of a page. If the page is empty, one row without an event has its position. */
export type PageRow = Partial<StreamedEvent> & { position: Position | null }

export function isEvent<R extends PageRow>(row: R): row is R & StreamedEvent & { position: Position } {
  return row.position !== null
}

/** The columns of a `PageRow`, from `page` and the joined `eventOwners`. */
export const eventColumns = sql`case when page.id is not null then ${position('page')} end as position, page.id,
  page.directory_id, d.organization_id, environments.slug as environment_slug, page.type, page.actor_type, page.actor_id,
  page.via, page.on_behalf_of, page.target_type, page.target_id, page.request_id, page.ip_address, page.user_agent, page.data, page.previous,
  page.created_at`

export const eventOwners = sql`left join directories d on d.id = page.directory_id
  left join environments on environments.id = page.environment_id`

/** The position in the stream of a row of this table. */
export function position(table: string): RawBuilder<Position> {
  const [epoch, txId, id] = ['epoch', 'tx_id', 'id'].map((name) => sql.ref(`${table}.${name}`))
  return sql`jsonb_build_object('epoch', ${epoch}, 'txId', ${txId}::text, 'id', ${id})`
}

/** The condition for rows of this table that the caller can reach. */
export function within(reach: Reach, table: string): RawBuilder<unknown> {
  return reach.directory
    ? sql`${sql.ref(`${table}.directory_id`)} = ${reach.directory.id}`
    : sql`${sql.ref(`${table}.environment_id`)} = ${reach.environmentId}`
}
