import { type RawBuilder, sql } from 'kysely'
import { uuidArray } from '../db/arrays.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { EventDefinition } from './events.ts'

/** The events that a statement records for its rows. */
interface Batch {
  directory: Directory
  definition: EventDefinition
  /** Ids of the events, at least as many as there are rows. */
  ids: string[]
  /**
   * Names of two tables in the statement: `rows` numbers the rows from 1 in `n`, and `cause` has one row with the
   * actor and the time.
   */
  rows: string
  cause: string
  targetType: string
  targetId: RawBuilder<unknown>
  data: RawBuilder<unknown>
  at: RawBuilder<unknown>
}

/**
 * Records an event for each of many rows, in the statement that writes them. Not for updates, because it sets no
 * `previous`.
 */
export function recordEach({ directory, definition, ids, rows, cause, ...event }: Batch): RawBuilder<unknown> {
  const by = (column: string) => sql.ref(`${cause}.${column}`)
  // Foreign table events: records one event for each of many rows in one statement.
  return sql`
    insert into events (directory_id, account_id, environment_id, id, type, actor_type, actor_id, via, on_behalf_of,
      target_type, target_id, request_id, ip_address, user_agent, data, created_at, epoch)
    select ${directory.id}::uuid, ${directory.accountId}::uuid, ${directory.environmentId}::uuid, made.id,
      ${definition.type}::text, ${by('actor_type')}, ${by('actor_id')}, ${by('via')}, ${by('on_behalf_of')}, ${event.targetType}::text,
      ${event.targetId}::text, ${by('request_id')}, ${by('ip_address')}, ${by('user_agent')}, ${event.data}, ${event.at},
      (select event_epoch())
    from ${sql.ref(cause)} cross join ${sql.ref(rows)}
      join unnest(${uuidArray(ids)}::uuid[]) with ordinality as made (id, n) on made.n = ${sql.ref(`${rows}.n`)}`
}
