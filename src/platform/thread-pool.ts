import { AsyncLocalStorage } from 'node:async_hooks'
import type { Piscina } from 'piscina'
import { outsideDatabase } from './db/deadline.ts'
import { httpErrors } from './errors.ts'
import {
  countWaiting,
  enterQueue,
  type FairQueue,
  leaveQueue,
  openFairQueue,
  type Place,
  refuseWaiting,
  takeTurn,
} from './limits/fair-queue.ts'

/** Threads for computations that would block the event loop, with a queue in front that is fair by directory. */
export interface ThreadPool {
  queue: FairQueue
  /** The detail of the refusal if too many requests wait or one has waited too long. */
  busyDetail: string
  start(): Piscina
  /** Called after each change of the number of waiting requests. */
  onWaiting(waiting: number): void
  /** Started with the first computation, so a process without computations has no threads. */
  piscina: Piscina | null
  closed: boolean
}

export function openThreadPool(
  options: Pick<ThreadPool, 'busyDetail' | 'start' | 'onWaiting'> & Parameters<typeof openFairQueue>[0],
): ThreadPool {
  const { busyDetail, start, onWaiting, ...limits } = options
  const queue = openFairQueue({ ...limits, costsKnown: true })
  return { busyDetail, start, onWaiting, queue, piscina: null, closed: false }
}

// Computations yield the processor to other work. Only on Linux does nice(2) apply to the calling thread. On macOS it
// would slow down the whole process, and on Windows a positive number raises the priority.
export const NICE = process.platform === 'linux' ? 10 : 0

/** What the current request has taken of a pool. */
interface Held {
  pool: ThreadPool
  place: Place
  hasTurn: boolean
}

const holding = new AsyncLocalStorage<Held>()

function heldIn(pool: ThreadPool): Held | null {
  const held = holding.getStore()
  return held?.pool === pool ? held : null
}

/**
 * Runs work that takes one place in the queue for all of its computations, which together may wait as long as a single
 * one. Call it before anything is written, so that a full queue has no effect. Throws `unavailable` if the queue is
 * full.
 */
export async function withPlace<T>(pool: ThreadPool, directory: { id: string }, work: () => Promise<T>): Promise<T> {
  if (heldIn(pool)) return work()
  const place = pool.closed ? null : enterQueue(pool.queue, directory)
  if (!place) throw tooBusy(pool)
  try {
    return await holding.run({ pool, place, hasTurn: false }, work)
  } finally {
    leaveQueue(pool.queue, place)
  }
}

/**
 * Runs work with one computation of this cost, when it is the directory's turn. Throws `unavailable` if the queue is
 * full or the request would wait too long.
 */
export async function withTurn<T>(
  pool: ThreadPool,
  directory: { id: string },
  cost: number,
  work: () => Promise<T>,
): Promise<T> {
  const held = heldIn(pool)
  if (!held) return withPlace(pool, directory, () => withTurn(pool, directory, cost, work))
  if (held.hasTurn) return work()
  const turn = takeTurn(pool.queue, held.place, cost)
  const tellWaiting = () => pool.onWaiting(countWaiting(pool.queue))
  tellWaiting()
  const begun = await turn
  tellWaiting()
  if (!begun) throw tooBusy(pool)
  try {
    // The computation does not wait for the database, so the deadline is paused.
    return await outsideDatabase(() => holding.run({ ...held, hasTurn: true }, work))
  } finally {
    begun.leave()
    tellWaiting()
  }
}

/** Returns the threads, and starts them if needed. */
export function threadsOf(pool: ThreadPool): Piscina {
  pool.piscina ??= pool.start()
  return pool.piscina
}

/** Ends the threads, if there are any, and refuses further work. */
export async function closeThreadPool(pool: ThreadPool): Promise<void> {
  pool.closed = true
  refuseWaiting(pool.queue)
  await pool.piscina?.destroy()
}

function tooBusy({ busyDetail: detail }: ThreadPool) {
  return httpErrors.unavailable({ detail, headers: { 'retry-after': '1' } })
}
