import { AsyncLocalStorage } from 'node:async_hooks'
import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { httpErrors } from '../errors.ts'
import { type Platform, perPlatform } from '../platform.ts'
import {
  costOfArgon2,
  costOfArgon2Text,
  costOfBcrypt,
  costOfPbkdf2,
  costOfScrypt,
  LEAST_COST,
} from './password-cost.ts'
import {
  countWaiting,
  enterQueue,
  leaveQueue,
  openPasswordQueue,
  type PasswordQueue,
  type Place,
  refuseWaiting,
  takeTurn,
} from './password-queue.ts'
import type * as passwordWorker from './password-worker.ts'

type PasswordWork = typeof passwordWorker
type TaskOf<K extends keyof PasswordWork> = Parameters<PasswordWork[K]>[0]

/** For whom passwords are computed. */
export interface Hasher {
  platform: Platform
  directory: { id: string }
}

const QUEUE_PER_THREAD = 10
// Nobody waits longer for hashes of others: by then people try again.
const PATIENCE_MS = 2000
const LIGHT_COST = 2 * LEAST_COST
const IDLE_MS = 60_000
// Hashing yields the processor to other work. Only on Linux does nice(2) apply to the calling thread: on macOS it would
// slow down the whole process, and on Windows a positive number raises the priority.
const NICE = process.platform === 'linux' ? 10 : 0

/** What each computation costs. */
const costs: { [K in keyof PasswordWork]: (task: TaskOf<K>) => number } = {
  hashArgon2id: costOfArgon2,
  verifyArgon2: ({ hash }) => costOfArgon2Text(hash),
  verifyBcrypt: ({ hash }) => costOfBcrypt(hash),
  deriveScrypt: costOfScrypt,
  derivePbkdf2: costOfPbkdf2,
}

interface PasswordPool {
  queue: PasswordQueue
  /** Created on first use: a process that hashes nothing has no threads. */
  piscina: Piscina | null
  closed: boolean
}

// As many as cores: more would take time from other work. Costly hashes leave one to the others, so there are two at least.
const passwordPool = perPlatform(({ clock }): PasswordPool => {
  const threads = Math.max(2, availableParallelism())
  const queue = openPasswordQueue({
    threads,
    places: threads * (1 + QUEUE_PER_THREAD),
    lightCost: LIGHT_COST,
    clock,
  })
  return { queue, piscina: null, closed: false }
})

/** What the present request holds of a pool. */
interface Held {
  pool: PasswordPool
  place: Place
  hasTurn: boolean
}

const holding = new AsyncLocalStorage<Held>()

function heldIn(pool: PasswordPool): Held | null {
  const held = holding.getStore()
  return held?.pool === pool ? held : null
}

/**
 * Runs one password computation in a worker thread, when it is its directory's turn. Throws `unavailable` where too many
 * wait, or it would wait too long, so that a flood of passwords does not starve other requests.
 */
export function computePassword<K extends keyof PasswordWork>(
  hasher: Hasher,
  work: K,
  task: TaskOf<K>,
): Promise<ReturnType<PasswordWork[K]>> {
  const pool = passwordPool(hasher.platform)
  return withPasswordTurn(hasher, costs[work](task), () => {
    pool.piscina ??= startThreads(pool)
    return pool.piscina.run(task, { name: work })
  })
}

/**
 * Runs work that computes passwords in sequence with one place of the queue, taken before anything is written, so that a
 * full queue costs no attempt. All of its hashes together wait as long as one may. Throws `unavailable` if the queue is
 * full.
 */
export async function withPasswordPlace<T>(hasher: Hasher, work: () => Promise<T>): Promise<T> {
  const pool = passwordPool(hasher.platform)
  if (heldIn(pool)) return work()
  const place = pool.closed ? null : enterQueue(pool.queue, hasher.directory.id, PATIENCE_MS)
  if (!place) throw tooBusy()
  try {
    return await holding.run({ pool, place, hasTurn: false }, work)
  } finally {
    leaveQueue(pool.queue, place)
  }
}

/**
 * Runs work that computes one password of this cost, when it is the directory's turn: what is written before the hash is
 * then written only if there is going to be one. Throws `unavailable` where too many wait, or it would wait too long.
 */
export async function withPasswordTurn<T>(hasher: Hasher, cost: number, work: () => Promise<T>): Promise<T> {
  const pool = passwordPool(hasher.platform)
  const held = heldIn(pool)
  if (!held) return withPasswordPlace(hasher, () => withPasswordTurn(hasher, cost, work))
  if (held.hasTurn) return work()
  const turn = takeTurn(pool.queue, held.place, cost)
  const { passwordsWaiting } = hasher.platform.metrics
  passwordsWaiting.set(countWaiting(pool.queue))
  const endTurn = await turn
  passwordsWaiting.set(countWaiting(pool.queue))
  if (!endTurn) throw tooBusy()
  try {
    return await holding.run({ ...held, hasTurn: true }, work)
  } finally {
    endTurn()
    passwordsWaiting.set(countWaiting(pool.queue))
  }
}

/** Ends the threads, if there are any, and refuses further work. */
export async function closePasswordPool(platform: Platform): Promise<void> {
  const pool = passwordPool(platform)
  pool.closed = true
  refuseWaiting(pool.queue)
  await pool.piscina?.destroy()
}

function startThreads(pool: PasswordPool): Piscina {
  return new Piscina({
    filename: new URL('./password-worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: pool.queue.threads,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
    recordTiming: false,
    execArgv: [],
    // The memory of the hashes themselves is outside the JavaScript heap.
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  })
}

function tooBusy() {
  return httpErrors.unavailable({
    detail: 'The service is busy checking passwords: try again in a second.',
    headers: { 'retry-after': '1' },
  })
}
