import type { Db } from '../../../platform/db/pool.ts'
import { readPlaces } from '../../../platform/events/event-places.ts'
import { readTypes } from '../../../platform/events/event-types.ts'
import { forEachPart } from '../../../platform/jobs/parts.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import type { Platform } from '../../../platform/platform.ts'
import {
  type CountCursor,
  countUsers,
  hasUnreadEvents,
  keepUserCount,
  moveCountCursor,
  provideCountCursors,
} from './user-counts-store.ts'

interface Limits {
  /** How many events one statement reads. */
  events: number
  /** How many such statements one run makes for an environment. The next run continues. */
  batches: number
}
const LIMITS: Limits = { events: 5000, batches: 200 }
// How many users one statement counts, in a fraction of its time limit.
const PART_SIZE = 500_000

const CHANGES = 'user.created,user.deleted,user.restored,user.moved'

/** Counts the users of directories where users have changed, for responses about their organizations. */
export const countUsersOfOrganizations: JobHandler = {
  name: 'organizations.count_users',
  cron: '* * * * *',
  async handle(platform) {
    await countInAll(platform)
  },
}

/** Counts in every environment. Tests pass lower limits. */
export async function countInAll({ db }: Platform, limits: Limits = LIMITS): Promise<void> {
  const cursors = await provideCountCursors(db)
  await forEachPart(
    cursors,
    ({ environmentId }) => environmentId,
    (cursor) => countChanged(db, cursor, limits),
  )
}

/**
 * Finds changed directories in the event feed: so a change of a user costs nothing more, and unchanged directories
 * are not counted again. If a process dies, the next run repeats its directories.
 */
async function countChanged(db: Db, { environmentId, position, at }: CountCursor, limits: Limits): Promise<void> {
  const types = new Set(readTypes(CHANGES))
  const changed = new Set<string>()
  let after = position
  for (let batch = 1; ; batch++) {
    const { places, end, hasMore } = await readPlaces(db, { environmentId }, after, limits.events)
    for (const { directoryId, type } of places) if (types.has(type)) changed.add(directoryId)
    after = end
    if (!hasMore || batch === limits.batches) break
  }
  await forEachPart(changed, String, async (directoryId) =>
    keepUserCount(db, directoryId, await countUsers(db, directoryId, PART_SIZE)),
  )
  const isComplete = !(await hasUnreadEvents(db, environmentId, after, at))
  await moveCountCursor(db, { environmentId, position: after, at: isComplete ? at : null })
}
