import { setTimeout as delay } from 'node:timers/promises'
import type { Platform } from '../platform.ts'

export interface Dispatcher {
  /** Claims nothing more, and waits up to `limitMs` for running work. Another process takes over the rest. */
  stop(limitMs: number): Promise<void>
}

/** A number of places in which items are processed at the same time. */
export interface Stall<T> {
  places: number
  /** An item that takes longer makes room for the next one and continues. At most `late` items may do so. */
  patienceMs: number
  late: number
  claim(platform: Platform, limit: number): Promise<T[]>
  serve(platform: Platform, claimed: T): Promise<void>
}

// How often the dispatcher looks for work while there is none.
const POLL_MS = 250
const AFTER_FAILURE_MS = 1000

/**
 * Processes items in this process until stopped, through any failure of the database. For work that does not go
 * through the job queue: `prepare` runs again and again, and the items that each stall claims are processed
 * independently.
 */
export function startDispatcher<T>(
  platform: Platform,
  { prepare, stalls }: { prepare(platform: Platform): Promise<boolean>; stalls: readonly Stall<T>[] },
): Dispatcher {
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  const loops = [
    keepDoing(platform, stopping.signal, () => prepare(platform)),
    ...stalls.map((stall) => keepDoing(platform, stopping.signal, attendTo(platform, stall, underWay))),
  ]
  return {
    async stop(limitMs) {
      stopping.abort()
      const limit = new AbortController()
      const all = Promise.all(loops).then(() => Promise.all(underWay))
      await Promise.race([all, delay(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)])
      limit.abort()
    },
  }
}

/** Waits for a free place, then claims as many items as there are places. */
function attendTo<T>(platform: Platform, stall: Stall<T>, all: Set<Promise<void>>) {
  const places = new Set<Promise<void>>()
  let late = 0
  /** Until the item leaves its place. */
  const stay = async (served: Promise<void>) => {
    const patience = new AbortController()
    const isLate = delay(stall.patienceMs, true, { signal: patience.signal }).catch(() => false)
    const leaves = await Promise.race([served.then(() => false), isLate])
    patience.abort()
    if (!leaves) return
    if (late >= stall.late) return served
    late++
    void served.then(() => late--)
  }
  return async () => {
    if (places.size >= stall.places) await Promise.race(places)
    const claimed = await stall.claim(platform, stall.places - places.size)
    for (const each of claimed) {
      const served = stall.serve(platform, each).catch((error: unknown) => {
        platform.log.warn({ error }, 'Deliveries were interrupted and continue later')
      })
      track(all, served)
      track(places, stay(served))
    }
    return claimed.length > 0
  }
}

function track(among: Set<Promise<void>>, work: Promise<void>): void {
  const tracked: Promise<void> = work.finally(() => among.delete(tracked))
  among.add(tracked)
}

/** Repeats an action: at once while there is more to do, and otherwise at intervals. */
async function keepDoing(platform: Platform, signal: AbortSignal, act: () => Promise<boolean>): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      const isMore = await act()
      failures = 0
      if (isMore) continue
    } catch (error) {
      failures++
      if (failures === 1) platform.log.warn({ error }, 'Deliveries failed: trying again')
    }
    await delay(failures ? AFTER_FAILURE_MS : POLL_MS, undefined, { signal }).catch(() => undefined)
  }
}
