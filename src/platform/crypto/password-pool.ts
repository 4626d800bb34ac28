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

/** The owner of password computations. */
export interface Hasher {
  platform: Platform
  directory: { id: string }
}

const QUEUE_PER_THREAD = 10
// Maximum wait for hashes of other owners. After that, people try again.
const PATIENCE_MS = 2000
const LIGHT_COST = 2 * LEAST_COST
const IDLE_MS = 60_000

/** What each computation costs. */
const costs: { [K in keyof PasswordWork]: (task: TaskOf<K>) => number } = {
  hashArgon2id: costOfArgon2,
  verifyArgon2: ({ hash }) => costOfArgon2Text(hash),
  verifyBcrypt: ({ hash }) => costOfBcrypt(hash),
  deriveScrypt: costOfScrypt,
  derivePbkdf2: costOfPbkdf2,
}

// As many as cores: more would take time from other work. Costly hashes leave one to the others, so there are two at least.
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
 * Runs one password computation in a worker thread, when it is its directory's turn. Throws `unavailable` where too many
 * wait, or it would wait too long, so that a flood of passwords does not starve other requests.
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
 * Runs work that computes passwords in sequence with one place of the queue, taken before anything is written, so that a
 * full queue costs no attempt. All of its hashes together wait as long as one may. Throws `unavailable` if the queue is
 * full.
 */
export function withPasswordPlace<T>({ platform, directory }: Hasher, work: () => Promise<T>): Promise<T> {
  return withPlace(passwordPool(platform), directory, work)
}

/**
 * Runs work that computes one password of this cost, when it is the directory's turn: what is written before the hash is
 * then written only if there is going to be one. Throws `unavailable` where too many wait, or it would wait too long.
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
