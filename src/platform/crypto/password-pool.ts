import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { type Platform, perPlatform } from '../platform.ts'
import { closeThreadPool, NICE, openThreadPool, threadsOf, withPlace, withTurn } from '../thread-pool.ts'
import {
  costOfArgon2,
  costOfArgon2Text,
  costOfBcrypt,
  costOfPbkdf2,
  costOfScrypt,
  LEAST_COST,
} from './password-cost.ts'
import type * as passwordWorker from './password-worker.ts'

type PasswordWork = typeof passwordWorker
type TaskOf<K extends keyof PasswordWork> = Parameters<PasswordWork[K]>[0]

/** The directory for which passwords are computed. */
export interface Hasher {
  platform: Platform
  directory: { id: string }
}

const QUEUE_PER_THREAD = 10
// The longest wait for hashes of other directories. After that, people would try again.
const PATIENCE_MS = 2000
const LIGHT_COST = 2 * LEAST_COST
const IDLE_MS = 60_000

/** The cost of each kind of computation. */
const costs: { [K in keyof PasswordWork]: (task: TaskOf<K>) => number } = {
  hashArgon2id: costOfArgon2,
  verifyArgon2: ({ hash }) => costOfArgon2Text(hash),
  verifyBcrypt: ({ hash }) => costOfBcrypt(hash),
  deriveScrypt: costOfScrypt,
  derivePbkdf2: costOfPbkdf2,
}

// One thread for each core, because more would take time from other work. At least two, because costly hashes must
// leave one thread for the others.
const passwordPool = perPlatform(({ clock, metrics }) => {
  const threads = Math.max(2, availableParallelism())
  return openThreadPool({
    turns: threads,
    places: threads * (1 + QUEUE_PER_THREAD),
    lightCost: LIGHT_COST,
    clock,
    patienceMs: PATIENCE_MS,
    busyDetail: 'The service is busy checking passwords: try again in a second.',
    start: () => startThreads(threads),
    onWaiting: (waiting) => metrics.passwordsWaiting.set(waiting),
  })
})

/**
 * Runs one password computation in a worker thread, when it is the directory's turn. Throws `unavailable` if too many
 * wait or the wait would be too long, so that a flood of passwords does not starve other requests.
 */
export function computePassword<K extends keyof PasswordWork>(
  hasher: Hasher,
  work: K,
  task: TaskOf<K>,
): Promise<ReturnType<PasswordWork[K]>> {
  return withPasswordTurn(hasher, costs[work](task), () =>
    threadsOf(passwordPool(hasher.platform)).run(task, { name: work }),
  )
}

/**
 * Runs work that computes several passwords in sequence and takes one place in the queue. The place is taken before
 * anything is written, so that a request refused by a full queue uses no attempt. All of its hashes together may wait
 * as long as a single one. Throws `unavailable` if the queue is full.
 */
export function withPasswordPlace<T>({ platform, directory }: Hasher, work: () => Promise<T>): Promise<T> {
  return withPlace(passwordPool(platform), directory, work)
}

/**
 * Runs work that computes one password of this cost, when it is the directory's turn. What the work writes before
 * hashing is therefore only written if the hash will be computed. Throws `unavailable` if too many wait or the wait
 * would be too long.
 */
export function withPasswordTurn<T>({ platform, directory }: Hasher, cost: number, work: () => Promise<T>): Promise<T> {
  return withTurn(passwordPool(platform), directory, cost, work)
}

/** Ends the threads, if there are any, and refuses further work. */
export function closePasswordPool(platform: Platform): Promise<void> {
  return closeThreadPool(passwordPool(platform))
}

function startThreads(threads: number): Piscina {
  return new Piscina({
    filename: new URL('./password-worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
    recordTiming: false,
    execArgv: [],
    // The memory of the hashes themselves is outside the JavaScript heap.
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  })
}
