import { busy } from '../errors.ts'
import { waitUntilDeadline } from './deadline.ts'
import { isDatabaseUnavailable, sqlState } from './failure.ts'
import { currentPlace, type Lane, withoutDeadline } from './lanes.ts'
import type { Database } from './pool.ts'

export interface CoalesceOptions<Item, Result> {
  /**
   * Executes one statement for all items. Returns one result per item, in order. `directoryId` is given, where the
   * database is distributed, as the directory of all the items: the statement then has to name it as a constant.
   */
  run(items: Item[], directoryId: string | null): Promise<Result[]>
  /** Where the items' rows are. */
  place: { database: Pick<Database, 'distributed'>; directoryOf(item: Item): string }
  /** Items with the same key never share a statement: they touch the same row and must see each other's effect. */
  keyOf?(item: Item): string | null
  maxBatch?: number
}

interface Waiting<Item, Result> {
  item: Item
  key: string | null
  resolve(result: Result): void
  reject(error: unknown): void
}

// One statement at a time: while it waits for its commit the next batch gathers, and the larger the batch, the lower
// the cost per request. Two lanes would not answer a single request sooner, and would halve the sharing.
const LANES = 1
// While a statement runs, the process answers those of the last one and reads what their callers ask next. With most of the
// callers in one statement it would have nothing to do meanwhile: of more than a few that ask, half go at a time.
const FEW = 8
const MAX_WAITING = 10_000

/**
 * Joins concurrent operations of the same kind into one statement: many requests share one commit, and each is answered
 * only after it (group commit). If an item makes its statement fail, only that item fails. Where the database is
 * distributed, each directory gets a statement of its own, which runs on the one server that has its rows. What is asked
 * for callers shares none with what is asked for nobody.
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): (item: Item) => Promise<Result> {
  const queues: Record<Lane, (item: Item) => Promise<Result>> = {
    callers: queueOf(options),
    anonymous: queueOf(options),
  }
  return (item) => queues[currentPlace().lane](item)
}

function queueOf<Item, Result>(options: CoalesceOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { run, place, keyOf, maxBatch = 200 } = options
  let queue: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false
  let sizeBefore = 0
  const busyKeys = new Set<string>()

  function takeBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    const rest: Waiting<Item, Result>[] = []
    const most = Math.min(maxBatch, Math.max(FEW, Math.ceil((sizeBefore + queue.length) / 2)))
    for (const waiting of queue) {
      const { key } = waiting
      if (batch.length >= most || (key !== null && busyKeys.has(key))) {
        rest.push(waiting)
        continue
      }
      if (key !== null) busyKeys.add(key)
      batch.push(waiting)
    }
    queue = rest
    sizeBefore = batch.length
    return batch
  }

  async function runLane(): Promise<void> {
    running++
    for (;;) {
      const batch = takeBatch()
      if (!batch.length) break
      const statements = Map.groupBy(batch, ({ item }) => (place.database.distributed ? place.directoryOf(item) : null))
      await Promise.all([...statements].map(([directoryId, items]) => settle(items, directoryId)))
      for (const { key } of batch) if (key !== null) busyKeys.delete(key)
    }
    running--
  }

  async function settle(batch: Waiting<Item, Result>[], directoryId: string | null): Promise<void> {
    try {
      const items = batch.map((waiting) => waiting.item)
      const results = await run(items, directoryId)
      if (results.length !== batch.length) throw new Error('A coalesced statement lost a result')
      for (const [i, result] of results.entries()) batch[i]?.resolve(result)
    } catch (error) {
      if (batch.length === 1 || isLost(error)) for (const waiting of batch) waiting.reject(error)
      // In parallel, so that one that waits for a lock does not delay the others.
      else await Promise.all(batch.map((waiting) => settle([waiting], directoryId)))
    }
  }

  function start(): void {
    scheduled = false
    if (running < LANES && queue.length) void runLane()
  }

  return (item) => {
    if (queue.length >= MAX_WAITING) return Promise.reject(busy())
    const waiting = { item, key: keyOf?.(item) ?? null, ...Promise.withResolvers<Result>() }
    queue.push(waiting)
    if (running < LANES && !scheduled) {
      scheduled = true
      // Lets requests that arrived in the same turn of the event loop queue their items first.
      withoutDeadline(() => setImmediate(start))
    }
    return waitUntilDeadline(waiting.promise, () => {
      queue = queue.filter((other) => other !== waiting)
    })
  }
}

// A lock or statement timeout, or a deadlock: caused by one row, not by the database.
const ROW_STATES = new Set(['55P03', '57014', '40P01', '40001'])

/** Whether retrying the items one by one would fail as well. */
function isLost(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !ROW_STATES.has(sqlState(error) ?? '')
}
