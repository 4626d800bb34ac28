import { sql } from 'kysely'

/** The `actor_type` of an event whose personal parts were erased. */
const ERASED = 'erased'

/** The type of events that record which events were erased. They are never erased themselves. */
export const COVER_TYPE = 'audit.erased'

/**
 * SQL: the columns that erasing sets, followed by the parts that are not personal. The database accepts no other
 * change of an event.
 */
export const erasedColumns = sql`data = '{}', previous = null, actor_type = ${sql.lit(ERASED)}, actor_id = null,
  via = null, on_behalf_of = null, request_id = null, ip_address = null, user_agent = null`

/** SQL: whether an event still has its personal parts. */
export const isUnerased = sql<boolean>`actor_type <> ${sql.lit(ERASED)}`

/**
 * Whether the personal parts of an event were erased. Readers do not get such events, because their data no longer
 * fits the schema.
 */
export function isErased({ actor_type }: { actor_type: string | null }): boolean {
  return actor_type === ERASED
}
