import { sql } from 'kysely'
import { skipLocked } from '../../platform/db/distributed.ts'
import { record, systemOrigin } from '../../platform/events.ts'
import { findDirectory } from '../../platform/http/directory.ts'
import type { JobHandler } from '../../platform/jobs/queue.ts'
import type { Platform } from '../../platform/platform.ts'
import { userEvents } from './events.ts'
import { purgeUsers } from './purge.ts'
import { deleteExpiredRows } from './store.ts'
import { userEvent } from './user-event.ts'

// Small, because many rows of other tables are deleted with each user.
const BATCH = 200

const isPast = sql<boolean>`deleted_at <= clock_now() - interval '30 days'`

/** Removes expired sign-ups, and purges users deleted thirty days ago. Look-ups ignore both already. */
export const userCleanup: JobHandler = {
  name: 'users.cleanup',
  cron: '*/10 * * * *',
  async handle(platform) {
    while ((await expireSignups(platform)) === BATCH);
    while ((await purgeUsers(platform, isPast, BATCH)) === BATCH);
  },
}

/** Processes one batch. Returns how many. */
async function expireSignups(platform: Platform): Promise<number> {
  return platform.tx(async (tx) => {
    const origin = systemOrigin()
    const rows = await deleteExpiredRows(tx, BATCH, skipLocked(platform.database))
    for (const [directoryId, users] of Map.groupBy(rows, (row) => row.directory_id)) {
      const directory = await findDirectory(platform, directoryId)
      if (!directory) continue
      const work = { platform, directory, origin, db: tx }
      await record(work, ...users.map((user) => userEvent(directory, userEvents.deleted, user)))
    }
    return rows.length
  })
}
