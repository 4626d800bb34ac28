import { sqlState } from '../../../platform/db/failure.ts'
import { newId } from '../../../platform/ids.ts'
import { forEachDirectory } from '../../../platform/jobs/due-rows.ts'
import { forEachPart } from '../../../platform/jobs/parts.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import { inTurn, openFairQueue } from '../../../platform/limits/fair-queue.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { type Directory, findDirectory } from '../../../platform/tenancy/directory.ts'
import { MARK_JOB } from './cut-off.ts'
import { findCutOff, finishCutOff, markBatch, settledCutOffs } from './cut-off-store.ts'

/** Sessions of a statement. It is to last a fraction of what a statement may: readers of the stream wait for its end. */
const [FIRST, FEWEST, MOST] = [2000, 50, 10_000]
const BATCH_MS = 500
const CUT_OFFS = 100

/** Marks the sessions that have ended by the bound, and records it, a batch at a time. */
export const markEndedSessions: JobHandler = {
  name: MARK_JOB,
  // It works as long as others wait for strangers, and must delay no mail either.
  lane: 'slow',
  async handle(platform, { directory, cutOff }) {
    await markAll(platform, String(directory), String(cutOff))
  },
}

/** Does the same for what has settled, and for what a process left that was killed. */
export const settleCutOffs: JobHandler = {
  name: 'sessions.settle',
  cron: '* * * * *',
  lane: 'slow',
  async handle(platform) {
    await forEachDirectory(platform.db, { ...settledCutOffs, batch: CUT_OFFS }, (directoryId, ids) =>
      forEachPart(ids, String, (id) => markAll(platform, directoryId, id)),
    )
  },
}

async function markAll(platform: Platform, directoryId: string, id: string): Promise<void> {
  const directory = await findDirectory(platform, directoryId)
  const found = directory && (await findCutOff(platform.db, directory, id))
  if (!found) return
  let size = FIRST
  for (;;) {
    const started = performance.now()
    const marked = await markSome(platform, directory, { id, ...found }, size)
    if (marked === 'taken') return
    if (marked === 'too many') size = Math.ceil(size / 4)
    else if (marked < size) break
    else size = fitting(size, performance.now() - started)
  }
  await finishCutOff(platform.db, directory, id)
}

/** How many last as long as a statement is to. */
function fitting(size: number, ms: number): number {
  return Math.round(Math.max(FEWEST, Math.min(MOST, 2 * size, (size * BATCH_MS) / Math.max(1, ms))))
}

/** Two statements at a time, of different organizations: requests need the database as well. */
const queue = perPlatform(() =>
  openFairQueue({ turns: 2, turnsOfOne: 1, places: 1002, placesOfOne: 101, patienceMs: 60_000 }),
)

const [STATEMENT_TIMEOUT, LOCK_TIMEOUT] = ['57014', '55P03']

/** Returns how many; 'taken' while another process is at it, 'too many' for one statement on this database. */
async function markSome(
  platform: Platform,
  directory: Directory,
  cutOff: { id: string; isOfUser: boolean },
  size: number,
): Promise<number | 'taken' | 'too many'> {
  const eventIds = Array.from({ length: size }, newId)
  try {
    const marked = await inTurn(queue(platform), directory, () => markBatch(platform.db, directory, cutOff, eventIds))
    return marked ?? 'taken'
  } catch (error) {
    const state = sqlState(error) ?? ''
    if (size > FEWEST && (state === STATEMENT_TIMEOUT || state === LOCK_TIMEOUT)) return 'too many'
    throw error
  }
}
