import type pg from 'pg'
import { breakClient } from './client.ts'
import { noConnection } from './failure.ts'

/** With this many hanging statements, new connections become read-only. */
export const MAX_HANGING = 5

/**
 * Prepares a new connection of a pool. No timeout of PostgreSQL ends a commit that waits for a synchronous standby or
 * for a disk that hangs. Closing the connection here does not free it there, so replacing it again and again would use
 * up `max_connections`. Once several statements of the service have run longer than any may (`answerMs`), new
 * connections are read-only: the first write is refused with 25006, which closes the connection. The commits are not
 * cancelled, because that would show other transactions data that a failover may lose.
 *
 * A pooler (`pooled`) would pass the changed setting on to the connection's next client, so with a pooler the
 * connection is refused instead.
 */
export async function prepareConnection(
  client: pg.ClientBase,
  { answerMs, pooled }: { answerMs: number; pooled: boolean },
): Promise<void> {
  try {
    const { rows } = await client.query({
      text: pooled
        ? HANGING
        : `select set_config('default_transaction_read_only', 'on', false) from (${HANGING}) hanging`,
      values: [answerMs],
    })
    if (pooled && rows.length > 0) throw noConnection()
  } catch (error) {
    // The pool would end the session in order, and wait for a server that may not respond.
    breakClient(client)
    throw error
  }
}

// Also counts statements of processes that have ended. A statement that waits for its client says nothing about the
// server.
const HANGING = `select from pg_stat_activity
  where application_name = current_setting('application_name') and usename = current_user
    and datname = current_database() and state = 'active' and wait_event_type is distinct from 'Client'
    and query_start < clock_timestamp() - $1 * interval '1 ms'
  having count(*) >= ${MAX_HANGING}`
