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

/**
 * How many sessions one statement marks. It should take only a fraction of the statement timeout, since readers of
 * the event stream wait for its end.
 */
const [FIRST, FEWEST, MOST] = [2000, 50, 10_000]
const BATCH_MS = 500
const CUT_OFFS = 100

/** Marks the sessions that a cut-off has ended and records their events, one batch at a time. */
export const markEndedSessions: JobHandler = {
  name: MARK_JOB,
  // It may work for as long as jobs that wait for other servers, and must not delay mails.
  lane: 'slow',
  async handle(platform, { directory, cutOff }) {
    await markAll(platform, String(directory), String(cutOff))
  },
}

/** Marks the sessions of cut-offs that need not wait any longer, and of cut-offs that a killed process left behind. */
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

/** The number of sessions that one statement can mark in the intended time. */
function fitting(size: number, ms: number): number {
  return Math.round(Math.max(FEWEST, Math.min(MOST, 2 * size, (size * BATCH_MS) / Math.max(1, ms))))
}

/** Runs two statements at a time, for different organizations, to leave the database to requests. */
const queue = perPlatform(() =>
  openFairQueue({ turns: 2, turnsOfOne: 1, places: 1002, placesOfOne: 101, patienceMs: 60_000 }),
)

const [STATEMENT_TIMEOUT, LOCK_TIMEOUT] = ['57014', '55P03']

/**
 * Returns how many sessions were marked. 'taken': another process works on the cut-off. 'too many': one statement
 * cannot mark this number in time on this database.
 */
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
