import { AsyncLocalStorage } from 'node:async_hooks'
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { httpErrors } from '../errors.ts'
import { type Platform, perPlatform } from '../platform.ts'
import type * as passwordWorker from './password-worker.ts'

type PasswordWork = typeof passwordWorker

const QUEUE_PER_THREAD = 10
const IDLE_MS = 60_000
// The share of places that one directory may hold, so that a flood at one organization leaves some for the others.
const SHARE_OF_ONE = 0.75
// Hashing yields the processor to other work. Only on Linux does nice(2) apply to the calling thread: on macOS it would
// slow down the whole process, and on Windows a positive number raises the priority.
const NICE = process.platform === 'linux' ? 10 : 0

interface PasswordPool {
  threads: number
  /** Capacity: how many computations may run or wait. */
  places: number
  taken: number
  /** Part of `taken`, by directory. */
  held: Map<string, number>
  /** Created on first use: a process that hashes nothing has no threads. */
  piscina: Piscina | null
  closed: boolean
}

const passwordPool = perPlatform((): PasswordPool => {
  const threads = availableParallelism()
  return { threads, places: threads * (1 + QUEUE_PER_THREAD), taken: 0, held: new Map(), piscina: null, closed: false }
})

/**
 * Runs one password computation in a worker thread. As many run concurrently as there are cores, and ten times as many
 * may wait. Throws `unavailable` beyond that, so that a flood of passwords does not starve other requests.
 */
export async function computePassword<K extends keyof PasswordWork>(
  platform: Platform,
  work: K,
  task: Parameters<PasswordWork[K]>[0],
): Promise<ReturnType<PasswordWork[K]>> {
  const pool = passwordPool(platform)
  const run = () => {
    pool.piscina ??= startThreads(pool)
    return pool.piscina.run(task, { name: work })
  }
  if (holding.getStore() === pool) return run()
  if (pool.closed || pool.taken >= pool.places) throw tooBusy()
  count(platform, pool, 1)
  try {
    return await run()
  } finally {
    count(platform, pool, -1)
  }
}

const holding = new AsyncLocalStorage<PasswordPool>()

/**
 * Runs work that computes passwords in sequence with one place of the pool, taken before anything is written, so that a
 * full pool costs no attempt. Throws `unavailable` if the pool is full, or if the directory already holds three
 * quarters of the places.
 */
export async function withPasswordPlace<T>(
  platform: Platform,
  directory: { id: string },
  work: () => Promise<T>,
): Promise<T> {
  const pool = passwordPool(platform)
  const held = pool.held.get(directory.id) ?? 0
  if (pool.closed || pool.taken >= pool.places || held >= pool.places * SHARE_OF_ONE) throw tooBusy()
  count(platform, pool, 1)
  pool.held.set(directory.id, held + 1)
  try {
    return await holding.run(pool, work)
  } finally {
    count(platform, pool, -1)
    const left = (pool.held.get(directory.id) ?? 1) - 1
    if (left > 0) pool.held.set(directory.id, left)
    else pool.held.delete(directory.id)
  }
}

/** Ends the threads, if there are any, and refuses further work. */
export async function closePasswordPool(platform: Platform): Promise<void> {
  const pool = passwordPool(platform)
  pool.closed = true
  await pool.piscina?.destroy()
}

function startThreads(pool: PasswordPool): Piscina {
  return new Piscina({
    filename: new URL('./password-worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: pool.threads,
    maxQueue: pool.places,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
    recordTiming: false,
    execArgv: [],
    // The memory of the hashes themselves is outside the JavaScript heap.
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  })
}

function count(platform: Platform, pool: PasswordPool, change: 1 | -1): void {
  pool.taken += change
  platform.metrics.passwordsWaiting.set(Math.max(0, pool.taken - pool.threads))
}

function tooBusy() {
  return httpErrors.unavailable({
    detail: 'The service is busy checking passwords: try again in a second.',
    headers: { 'retry-after': '1' },
  })
}
