import type { Tx } from '../../../platform/db/pool.ts'
import { COVER_TYPE, isErased } from '../../../platform/events/erased.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import { record, systemOrigin } from '../../../platform/events/events.ts'
import type { ErasureWork } from '../../../platform/lifecycle/erasure.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import { forgetDeliveriesOf } from '../deliveries/delivery-store.ts'
import { type Cover, isBehind, positionOf, readCover, sealedCover } from './cover.ts'
import { chainKey, type EventText } from './digest.ts'
import { eraseRows, selectNewestTexts, selectPlaces, selectTexts, selectUnerased } from './erase-store.ts'
import { auditEvents } from './events.ts'

const START: Position = { epoch: 0, txId: '0', id: '00000000-0000-0000-0000-000000000000' }
// How many events one transaction erases.
const BATCH = 500
// In an erased directory only `audit.erased` is recorded any more, so the last one is among the newest events.
const NEWEST = 50

/**
 * Erases the personal parts of all events of a directory. The event `audit.erased` is recorded first, so that a crash
 * leaves no erased event that `audit.erased` does not account for. A second run continues where the first ended.
 */
export async function eraseEvents(work: ErasureWork, directory: Directory): Promise<void> {
  const through = await work.held((tx) => coverAll(work, directory, tx))
  for (let after = START; through; ) {
    const places = (await selectPlaces(work.platform.db, directory.id, after, BATCH)).filter(
      (place) => !isBehind(place, through),
    )
    const last = places.at(-1)
    if (!last) return
    const ids = places.map(({ id }) => id)
    await work.held((tx) => eraseRows(tx, directory.id, ids))
    after = last
  }
}

/**
 * Records `audit.erased` for all events so far, unless that was done before. Returns the position up to which events
 * are to be erased; null if there are none.
 */
async function coverAll(work: ErasureWork, directory: Directory, tx: Tx): Promise<Position | null> {
  const newest = await selectNewestTexts(tx, directory.id, NEWEST)
  const key = chainKey(work.platform)
  const last = newest.find(({ type }) => type !== COVER_TYPE)
  const covered = newest.find(({ type }) => type === COVER_TYPE)
  const through = (covered && readCover(key, directory.id, covered)?.through) ?? null
  if (!last || isErased(last) || (through && !isBehind(positionOf(last), through))) return through
  await recordCover(work, directory, tx, { subOrgId: work.organizationId, through: positionOf(last), eventIds: null })
  return positionOf(last)
}

async function recordCover({ platform }: ErasureWork, directory: Directory, db: Tx, cover: Cover): Promise<void> {
  const target = { type: 'organization', id: cover.subOrgId }
  const data = sealedCover(chainKey(platform), directory.id, cover)
  await record({ platform, directory, origin: systemOrigin(), db }, auditEvents.erased({ target, data }))
}

/**
 * Erases the events that `find` picks from each page of a directory, and their deliveries to webhooks of the
 * directory. Records `audit.erased` with their ids.
 */
export async function eraseMentions(
  work: ErasureWork,
  directory: Directory,
  find: (events: EventText[]) => Promise<string[]>,
): Promise<void> {
  for (let after = START; ; ) {
    const page = await selectTexts(work.platform.db, directory.id, after, BATCH)
    const last = page.at(-1)
    if (!last) return
    const found = await find(page.filter((event) => !isErased(event) && event.type !== COVER_TYPE))
    if (found.length)
      await work.held(async (tx) => {
        const eventIds = await selectUnerased(tx, directory.id, found)
        if (eventIds.length === 0) return
        await recordCover(work, directory, tx, { subOrgId: work.organizationId, through: null, eventIds })
        await eraseRows(tx, directory.id, eventIds)
        await forgetDeliveriesOf(tx, directory.id, { eventIds })
      })
    after = positionOf(last)
  }
}

/**
 * Removes deliveries of events of the directories in `from` to the webhooks of `to`, the account level of an
 * environment.
 */
export async function eraseDeliveries(work: ErasureWork, to: Directory, from: Directory[]): Promise<void> {
  const eventDirectoryIds = from.map(({ id }) => id)
  while ((await forgetDeliveriesOf(work.platform.db, to.id, { eventDirectoryIds, limit: BATCH })) === BATCH);
}
