import { sql } from 'kysely'
import type { Platform } from '../../../platform/platform.ts'
import { listCursorEnvironments, lockCursor } from '../deliveries/cursor-store.ts'

/** Skips events recorded before a time that are not in the queues of webhooks yet. */
export async function skipEarlierEvents(platform: Platform, before: Date): Promise<void> {
  for (const environmentId of await listCursorEnvironments(platform.db))
    await platform.tx(async (tx) => {
      // Waits until no process creates deliveries.
      await lockCursor(tx, environmentId, sql`for update`)
      await sql`update webhooks set listening_since = ${before}
        where environment_id = ${environmentId} and listening_since < ${before}`.execute(tx)
    })
}
