import { skipLocked } from '../../../platform/db/distributed.ts'
import { type EventPlace, readPlaces } from '../../../platform/events/event-places.ts'
import { forEachPart } from '../../../platform/jobs/parts.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import type { Platform } from '../../../platform/platform.ts'
import { appendBlocks, lockCursor, moveCursor, provideCursors, readTexts, selectHeads } from './chain-store.ts'
import { type Block, chainKey, digestEvent, type EventText, hashBlock, NO_HASH } from './digest.ts'

// How many events one transaction takes.
const EVENTS = 500

/** Adds new events to the audit log's hash chains. */
export const chainNewEvents: JobHandler = {
  name: 'audit.chain',
  cron: '* * * * *',
  async handle(platform) {
    await chainEvents(platform)
  },
}

/**
 * Appends new events of every environment to the hash chains of their directories, starting after the last event of
 * the previous run. The new position and the blocks are written together, so a crash neither skips nor repeats an
 * event. Skips an environment that another process is working on.
 *
 * @returns how many events were chained.
 */
export async function chainEvents(platform: Platform): Promise<number> {
  let chained = 0
  await forEachPart(await provideCursors(platform.db), String, async (environmentId) => {
    for (let isMore = true; isMore; ) {
      const batch = await chainBatch(platform, environmentId)
      chained += batch.count
      isMore = batch.isMore
    }
  })
  return chained
}

/** Uses seven statements, whatever the number of events and directories. */
function chainBatch(platform: Platform, environmentId: string): Promise<{ count: number; isMore: boolean }> {
  return platform.tx(async (tx) => {
    const after = await lockCursor(tx, environmentId, skipLocked(platform.database))
    if (!after) return { count: 0, isMore: false }
    const { places, end, hasMore } = await readPlaces(tx, { environmentId, withConsole: true }, after, EVENTS)
    if (!places.length) return { count: 0, isMore: false }
    const texts = await readTexts(tx, environmentId, after, places)
    const heads = await selectHeads(tx, [...new Set(places.map(({ directoryId }) => directoryId))])
    const key = chainKey(platform)
    const last = new Map([...heads].map(([id, { seq, hash }]) => [id, { seq, hash }]))
    const blocks = inDays(places).map((group) => {
      const { directoryId } = group[0]
      const { seq, hash: previous } = last.get(directoryId) ?? { seq: 0, hash: NO_HASH }
      const events = group.map(({ id }) => {
        const text = texts.get(id)
        if (!text) throw new Error(`Event ${id} went while it was chained`)
        return text
      })
      const block = toBlock(environmentId, seq + 1, group, { events, digests: events.map((e) => digestEvent(key, e)) })
      const hash = hashBlock(key, previous, block)
      last.set(directoryId, { seq: block.seq, hash })
      return { ...block, hash }
    })
    await appendBlocks(tx, blocks)
    await moveCursor(tx, environmentId, end)
    return { count: places.length, isMore: hasMore }
  })
}

type Group = [EventPlace, ...EventPlace[]]

/**
 * Groups events by directory and day. Retention removes whole blocks, so a block with events of one day can go as
 * soon as that day is old enough.
 */
function inDays(places: EventPlace[]): Group[] {
  const groups: Group[] = []
  const open = new Map<string, Group>()
  for (const place of places) {
    const group = open.get(place.directoryId)
    if (group && dayOf(group[0]) === dayOf(place)) group.push(place)
    else {
      const fresh: Group = [place]
      open.set(place.directoryId, fresh)
      groups.push(fresh)
    }
  }
  return groups
}

function dayOf({ createdAt }: EventPlace): string {
  return createdAt.toISOString().slice(0, 10)
}

function toBlock(
  environmentId: string,
  seq: number,
  group: Group,
  { events, digests }: { events: EventText[]; digests: Buffer[] },
): Block {
  const { directoryId, epoch, txId, id } = group.at(-1) ?? group[0]
  const times = events.map(({ created_at }) => BigInt(created_at ?? 0)).sort((a, b) => (a < b ? -1 : 1))
  return {
    directoryId,
    environmentId,
    seq,
    end: { epoch, txId, id },
    firstAt: String(times[0]),
    lastAt: String(times.at(-1)),
    eventIds: group.map((place) => place.id),
    digests: Buffer.concat(digests),
  }
}
