import { skipLocked } from '../../../platform/db/distributed.ts'
import { record, systemOrigin } from '../../../platform/events/events.ts'
import { forEachDirectory } from '../../../platform/jobs/due-rows.ts'
import { forEachPart } from '../../../platform/jobs/parts.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import type { Platform } from '../../../platform/platform.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { userEvents } from './events.ts'
import { purgeUsers } from './purge.ts'
import { deleteExpiredRows, isExpiredSignup } from './store.ts'
import { userEvent } from './user-event.ts'

// Few users at a time, because many rows of other tables are deleted with each.
const EXPIRED = { table: 'users', key: 'id', isDue: isExpiredSignup, orderBy: 'pending_until', batch: 200 } as const

/** Removes expired sign-ups, and users who were deleted 30 days ago. Look-ups already ignore both. */
export const userCleanup: JobHandler = {
  name: 'users.cleanup',
  cron: '*/10 * * * *',
  async handle(platform) {
    await forEachPart(
      [expireSignups, purgeUsers],
      ({ name }) => name,
      (step) => step(platform),
    )
  },
}

async function expireSignups(platform: Platform): Promise<void> {
  await forEachDirectory(platform.db, EXPIRED, async (directoryId, ids) => {
    const directory = await findDirectory(platform, directoryId)
    await platform.tx(async (db) => {
      const users = await deleteExpiredRows(db, directoryId, ids, skipLocked(platform.database))
      if (!directory) return
      const work = { platform, directory, origin: systemOrigin(), db }
      await record(work, ...users.map((user) => userEvent(directory, userEvents.deleted, user)))
    })
  })
}
