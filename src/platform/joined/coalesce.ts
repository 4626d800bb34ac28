import { waitUntilDeadline } from '../db/deadline.ts'
import { isDatabaseUnavailable, sqlState } from '../db/failure.ts'
import { currentPlace, type Lane, withoutDeadline } from '../db/lanes.ts'
import { busy } from '../errors.ts'

export interface CoalesceOptions<Item, Result> {
  /** Executes one statement for all items. Returns one result for each item, in order. */
  run(items: Item[]): Promise<Result[]>
  /** Items of different groups never share a statement. */
  groupOf(item: Item): string
  /**
   * Items with the same key never share a statement, because they change the same row and must see each other's
   * effect.
   */
  keyOf?(item: Item): string | null
}

interface Waiting<Item, Result> {
  item: Item
  key: string | null
  resolve(result: Result): void
  reject(error: unknown): void
}

const MAX_BATCH = 200
const MAX_WAITING = 10_000

/**
 * Joins concurrent operations of one kind into one statement. Many requests then share one commit, and each gets its
 * response only after the commit (group commit). If an item makes the statement fail, only that item fails. Callers'
 * requests never share a statement with anonymous ones.
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): (item: Item) => Promise<Result> {
  const queues: Record<Lane, (item: Item) => Promise<Result>> = {
    callers: queueOf(options),
    anonymous: queueOf(options),
  }
  return (item) => queues[currentPlace().lane](item)
}

function queueOf<Item, Result>({
  run,
  groupOf,
  keyOf,
}: CoalesceOptions<Item, Result>): (item: Item) => Promise<Result> {
  let queue: Waiting<Item, Result>[] = []
  let isRunning = false

  /** Takes as many items as one statement may have, without two items of the same key. */
  function takeBatch(): Waiting<Item, Result>[] {
    const keys = new Set<string>()
    const batch: Waiting<Item, Result>[] = []
    const rest: Waiting<Item, Result>[] = []
    for (const waiting of queue) {
      const { key } = waiting
      const isTaken = batch.length < MAX_BATCH && (key === null || !keys.has(key))
      if (isTaken && key !== null) keys.add(key)
      if (isTaken) batch.push(waiting)
      else rest.push(waiting)
    }
    queue = rest
    return batch
  }

  // Only one statement runs at a time. The next batch gathers meanwhile, and the cost per request falls with the size of
  // the batch. Running two would not make a single request faster.
  async function runQueue(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      const groups = Map.groupBy(batch, ({ item }) => groupOf(item))
      await Promise.all([...groups.values()].map(settle))
    }
    isRunning = false
  }

  async function settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = batch.map((waiting) => waiting.item)
      const results = await run(items)
      if (results.length !== batch.length) throw new Error('A coalesced statement lost a result')
      for (const [i, result] of results.entries()) batch[i]?.resolve(result)
    } catch (error) {
      if (batch.length === 1 || isLost(error)) for (const waiting of batch) waiting.reject(error)
      // Run in parallel, so that an item that waits for a lock does not delay the others.
      else await Promise.all(batch.map((waiting) => settle([waiting])))
    }
  }

  return (item) => {
    if (queue.length >= MAX_WAITING) return Promise.reject(busy())
    const waiting = { item, key: keyOf?.(item) ?? null, ...Promise.withResolvers<Result>() }
    queue.push(waiting)
    if (!isRunning) {
      isRunning = true
      // Lets requests that arrived in the same turn of the event loop add their items first.
      withoutDeadline(() => setImmediate(() => void runQueue()))
    }
    return waitUntilDeadline(waiting.promise, () => {
      queue = queue.filter((other) => other !== waiting)
    })
  }
}

// A lock or statement timeout, or a deadlock. One row caused it, not the database.
const ROW_STATES = new Set(['55P03', '57014', '40P01', '40001'])

/** Whether retrying the items one by one would fail as well. */
function isLost(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !ROW_STATES.has(sqlState(error) ?? '')
}
