import { findMark } from '../../../platform/events/event-epoch.ts'
import { forEachPart } from '../../../platform/jobs/parts.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import type { Platform } from '../../../platform/platform.ts'
import { chainEvents } from './chain.ts'
import { chainKey, sealAnchor } from './digest.ts'
import { listDue, lockHead, type Mark, removeBlocks, selectOldBlocks } from './retention-store.ts'

/**
 * Removes events past their retention, except those that readers of the event feed may still reach. Events go with
 * their blocks, oldest first. The hash of the last removed block is kept, and the chain now begins there. One
 * directory at a time.
 */
export const cleanUpEvents: JobHandler = {
  name: 'events.cleanup',
  cron: '41 4 * * *',
  async handle(platform) {
    // Chains new events first, since only chained events are removed.
    await forEachPart(
      [chainEvents, removeAll],
      ({ name }) => name,
      (step) => step(platform),
    )
  },
}

async function removeAll(platform: Platform): Promise<void> {
  const mark = await findMark(platform.db)
  if (!mark) return
  await forEachPart(
    listAllDue(platform),
    ({ id }) => id,
    async ({ id, days }) => {
      while (await removeOld(platform, id, { days, mark }));
    },
  )
}

async function* listAllDue({ db, config }: Platform): AsyncGenerator<{ id: string; days: number }> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const due = await listDue(db, config.eventRetentionDays, after)
    yield* due
    const last = due.at(-1)
    if (!last) return
    after = last.id
  }
}

// How many blocks one transaction removes.
const BLOCKS = 20

/** Removes one batch of old blocks. Returns whether there may be more. */
async function removeOld(platform: Platform, id: string, due: { days: number; mark: Mark }): Promise<boolean> {
  // Usually there is nothing to remove, which one statement without a lock finds out.
  if (!(await selectOldBlocks(platform.db, id, { ...due, limit: 1 })).length) return false
  return platform.tx(async (tx) => {
    await lockHead(tx, id)
    const blocks = await selectOldBlocks(tx, id, { ...due, limit: BLOCKS })
    const last = blocks.at(-1)
    if (!last) return false
    await removeBlocks(tx, id, {
      eventIds: blocks.flatMap(({ event_ids }) => event_ids),
      anchor: { seq: last.seq, hash: last.hash, seal: sealAnchor(chainKey(platform), id, last.seq, last.hash) },
    })
    return blocks.length === BLOCKS
  })
}
