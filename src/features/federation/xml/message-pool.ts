import { Piscina } from 'piscina'
import { outsideTurn } from '../../../platform/limits/place.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { closeThreadPool, NICE, openThreadPool, threadsOf, withPlace, withTurn } from '../../../platform/thread-pool.ts'
import { XmlRefusal } from './refusal.ts'

/** The organization whose identity provider has sent a message. */
export interface MessageOwner {
  platform: Platform
  directory: { id: string }
}

/** The functions that the module at `file` exports and a thread runs. */
export type ThreadWork = Record<string, (task: never) => unknown>

// The second thread handles small messages while large messages occupy the first.
const THREADS = 2
// A message is large above this size. The largest takes about half a second of CPU time.
const LIGHT_BYTES = 32 * 1024
/** How many messages the process may be checking or queueing: for all directories, and for one. */
const [PLACES, PLACES_OF_ONE] = [64, 32]
const PATIENCE_MS = 5000
const LIMIT_MS = 10_000
const IDLE_MS = 30_000

const messagePool = perPlatform(({ clock }) =>
  openThreadPool({
    turns: THREADS,
    places: PLACES,
    placesOfOne: PLACES_OF_ONE,
    lightCost: LIGHT_BYTES,
    clock,
    patienceMs: PATIENCE_MS,
    busyDetail: 'The service is busy checking messages of identity providers: try again in a second.',
    start: startThreads,
    onWaiting: () => undefined,
  }),
)

/**
 * Runs work on a provider's message and reserves a place in the queue until the work ends. This bounds how many
 * messages of one directory the process handles at a time. Throws `unavailable` if there is no place.
 */
export function withMessagePlace<T>({ platform, directory }: MessageOwner, work: () => Promise<T>): Promise<T> {
  return withPlace(messagePool(platform), directory, work)
}

/**
 * Like `withMessagePlace`, for an unsolicited message, which anyone can send. It has separate places, so it cannot
 * keep out the directory's responses to sign-ins, which have a state.
 */
export function withUnsolicitedPlace<T>({ platform, directory }: MessageOwner, work: () => Promise<T>): Promise<T> {
  return withPlace(messagePool(platform), { id: `${directory.id} unsolicited` }, work)
}

/**
 * Runs a function of a worker module on a message in a thread, when it is the directory's turn. `bytes` is the size
 * of the message. Throws `unavailable` if too many messages wait, and XmlRefusal if the function needs too much time
 * or memory.
 */
export function defineThreadWork<W extends ThreadWork>(file: URL) {
  return <K extends keyof W & string>(
    { platform, directory }: MessageOwner,
    { name, bytes }: { name: K; bytes: number },
    task: Parameters<W[K]>[0],
  ): Promise<Awaited<ReturnType<W[K]>>> => {
    const pool = messagePool(platform)
    const run = async () => {
      const limit = new AbortController()
      const cancel = platform.clock.startTimer(LIMIT_MS, () => limit.abort())
      try {
        return await threadsOf(pool).run(task, { filename: file.href, name, signal: limit.signal })
      } catch (error) {
        if (!limit.signal.aborted && Object(error).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
        throw new XmlRefusal('too_large', 'The message takes too long, or too much memory, to check.')
      } finally {
        cancel()
      }
    }
    return outsideTurn(() => withTurn(pool, directory, bytes, run))
  }
}

/** How many threads are running. */
export function countMessageThreads(platform: Platform): number {
  return messagePool(platform).piscina?.threads.length ?? 0
}

/** Stops the threads, if there are any. Further work is refused. */
export function closeMessagePool(platform: Platform): Promise<void> {
  return closeThreadPool(messagePool(platform))
}

function startThreads(): Piscina {
  return new Piscina({
    // No thread is kept without work, since many deployments never receive a message.
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
    recordTiming: false,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
  })
}
