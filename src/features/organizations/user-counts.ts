import { readPlaces } from '../../platform/event-places.ts'
import { readTypes } from '../../platform/event-types.ts'
import type { JobHandler } from '../../platform/jobs/queue.ts'
import type { Platform } from '../../platform/platform.ts'
import {
  type CountCursor,
  countUsers,
  keepUserCount,
  moveCountCursor,
  provideCountCursors,
} from './user-counts-store.ts'

// Of events at a time.
const EVENTS = 5000
// Batches of events of an environment in one run. The next run continues.
const MAX_BATCHES = 200
// Users counted by one statement, which takes a fraction of the time that it has.
const PART_SIZE = 500_000

const CHANGES = 'user.created,user.deleted,user.restored,user.moved'

/** Counts the users of directories that have changed, for answers about their organizations. */
export const countUsersOfOrganizations: JobHandler = {
  name: 'organizations.count_users',
  cron: '* * * * *',
  async handle(platform) {
    for (const cursor of await provideCountCursors(platform.db)) await countChanged(platform, cursor)
  },
}

/**
 * Follows the event stream: a change of a user costs nothing more, and a directory without one is not counted again. A
 * process that dies in between leaves its directories to the next run.
 */
async function countChanged({ db }: Platform, { environmentId, position, at }: CountCursor): Promise<void> {
  const types = new Set(readTypes(CHANGES))
  const changed = new Set<string>()
  let after = position
  for (let batch = 1; ; batch++) {
    const { places, end, hasMore } = await readPlaces(db, { environmentId }, after, EVENTS)
    for (const { directoryId, type } of places) if (types.has(type)) changed.add(directoryId)
    after = end
    if (!hasMore || batch === MAX_BATCHES) break
  }
  for (const directoryId of changed) await keepUserCount(db, directoryId, await countUsers(db, directoryId, PART_SIZE))
  await moveCountCursor(db, { environmentId, position: after, at })
}
