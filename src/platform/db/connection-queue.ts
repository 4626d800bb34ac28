import type pg from 'pg'
import { timeToWait } from './deadline.ts'
import { fromDatabase, noConnection } from './failure.ts'
import { currentPlace } from './lanes.ts'

/** A pool of connections, and what waits for one of them. */
export interface ConnectionQueue {
  pool: pg.Pool
  /**
   * Takes a connection, in the order of the calls. A request that has had none yet is refused at once where the queue is
   * full; any is refused when it has waited too long. What this throws becomes `unavailable`. What no request waits for, such
   * as a job, may join a full queue.
   */
  take(): Promise<pg.PoolClient>
  /** Whether a further request would wait too long for a connection, at the rate at which connections become free. */
  isFull(): boolean
}

/** How long a connection may take to become free, or to be opened, in milliseconds. */
export const CONNECT_MS = 3000
const MAX_WAITING = 500
// The rate is measured over the last two to four seconds.
const WINDOW_MS = 4000

/**
 * The queue is full when a newcomer would wait longer than `fullMs`. The rate counts once the pool has been busy for half of
 * that time.
 */
export function openQueue(pool: pg.Pool, fullMs: number): ConnectionQueue {
  let waiting = 0
  // Since when no connection was free, and how many have become free since.
  let busy: { sinceMs: number; freed: number } | null = null

  function noteState(nowMs: number): void {
    if (pool.idleCount > 0 || pool.totalCount < pool.options.max) busy = null
    else busy ??= { sinceMs: nowMs, freed: 0 }
    if (busy && nowMs - busy.sinceMs > WINDOW_MS) {
      busy.sinceMs += WINDOW_MS / 2
      busy.freed /= 2
    }
  }

  function isFull(): boolean {
    if (waiting > MAX_WAITING) return true
    const nowMs = performance.now()
    noteState(nowMs)
    if (!busy) return false
    const passedMs = nowMs - busy.sinceMs
    return passedMs > fullMs / 2 && (waiting + 1) * passedMs > fullMs * busy.freed
  }

  async function take(): Promise<pg.PoolClient> {
    const { deadline } = currentPlace()
    if (deadline && !deadline.isOver && !deadline.isAdmitted && isFull()) throw noConnection()
    const ms = timeToWait(CONNECT_MS)
    noteState(performance.now())
    waiting++
    try {
      const isFree = pool.idleCount > 0 && ms === CONNECT_MS
      const client = await fromDatabase(() => (isFree ? pool.connect() : connectWithin(pool, ms)))
      if (busy) busy.freed++
      if (deadline) deadline.isAdmitted = true
      return client
    } finally {
      waiting--
    }
  }

  return { pool, take, isFull }
}

/** Connects within a time of its own. The pool has one for all callers, which leaves out the preparation of a connection. */
function connectWithin(pool: pg.Pool, ms: number): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      reject(noConnection())
    }, ms)
    pool.connect().then(
      (client) => {
        clearTimeout(timer)
        if (isOver) client.release()
        else resolve(client)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
