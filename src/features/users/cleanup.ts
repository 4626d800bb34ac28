import { record, systemOrigin } from '../../platform/events.ts'
import { findDirectory } from '../../platform/http/directory.ts'
import type { JobHandler } from '../../platform/jobs/queue.ts'
import type { Platform } from '../../platform/platform.ts'
import { deleteExpiredRows, purgeDeletedRows } from './store.ts'
import { userEvent } from './users.ts'

const BATCH = 200

/** Takes away sign-ups that were never proved, and for good who was deleted thirty days ago. Look-ups miss both before. */
export const userCleanup: JobHandler = {
  name: 'users.cleanup',
  cron: '*/10 * * * *',
  async handle(platform) {
    while ((await expireSignups(platform)) === BATCH);
    while ((await purgeDeletedRows(platform.db, BATCH)) === BATCH);
  },
}

/** One batch; answers how many. */
async function expireSignups(platform: Platform): Promise<number> {
  return platform.tx(async (tx) => {
    const origin = systemOrigin()
    const rows = await deleteExpiredRows(tx, BATCH)
    for (const [directoryId, users] of Map.groupBy(rows, (row) => row.directory_id)) {
      const directory = await findDirectory(platform, directoryId)
      if (!directory) continue
      const work = { platform, directory, origin, db: tx }
      await record(work, ...users.map((user) => userEvent(directory, 'user.deleted', user)))
    }
    return rows.length
  })
}
