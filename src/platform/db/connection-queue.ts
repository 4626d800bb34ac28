import type pg from 'pg'
import { timeToWait } from './deadline.ts'
import { fromDatabase, noConnection } from './failure.ts'
import { currentPlace } from './lanes.ts'

/** A pool of connections, and the queue of those who wait for one. */
export interface ConnectionQueue {
  pool: pg.Pool
  /**
   * Takes a connection, in the order of the calls. A request that has had none yet is refused at once if the queue is
   * full. Any request is refused if it has waited too long. These errors become `unavailable`. Work that no request
   * waits for, such as a job, may join a full queue.
   */
  take(): Promise<pg.PoolClient>
  /** Whether another request would wait too long, at the rate at which connections become free. */
  isFull(): boolean
}

/** How long a connection may take to become free or to be opened, in milliseconds. */
export const CONNECT_MS = 3000
const MAX_WAITING = 500
// The rate is measured over the last two to four seconds.
const WINDOW_MS = 4000

/**
 * The queue is full if a new request would wait longer than `fullMs`. The rate is used only once the pool has been
 * busy for half of `fullMs`.
 */
export function openQueue(pool: pg.Pool, fullMs: number): ConnectionQueue {
  let waiting = 0
  // Since when no connection has been free, and how many were returned since then.
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

/**
 * Connects within its own time limit. The pool's limit is the same for all callers and does not include preparing a
 * connection.
 */
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
