import { Piscina } from 'piscina'
import { outsideTurn } from '../../../platform/limits/place.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { closeThreadPool, NICE, openThreadPool, threadsOf, withPlace, withTurn } from '../../../platform/thread-pool.ts'
import { XmlRefusal } from './refusal.ts'

/** The organization of the provider that has sent a message. */
export interface MessageOwner {
  platform: Platform
  directory: { id: string }
}

/** Functions that run in a thread, of the module at `file`. */
export type ThreadWork = Record<string, (task: never) => unknown>

// The second is for small messages while a large one, or several, take the first.
const THREADS = 2
// The large one takes about half a second of a core.
const LIGHT_BYTES = 32 * 1024
/** How many messages the process has in work or waiting: of all directories, and of one. */
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
 * Runs work on a message of a provider with a place of the queue, held until the work has ended: this bounds how many messages
 * of one directory the process has in work. Throws `unavailable` if there is no place.
 */
export function withMessagePlace<T>({ platform, directory }: MessageOwner, work: () => Promise<T>): Promise<T> {
  return withPlace(messagePool(platform), directory, work)
}

/**
 * The same for an unsolicited message, which anyone can send. It takes no place from answers to sign-ins of the directory,
 * which have a state.
 */
export function withUnsolicitedPlace<T>({ platform, directory }: MessageOwner, work: () => Promise<T>): Promise<T> {
  return withPlace(messagePool(platform), { id: `${directory.id} unsolicited` }, work)
}

/**
 * Runs a function of a worker module on a message in a thread, when it is the turn of the directory. `bytes` is the size of the
 * message. Throws `unavailable` if too many wait, and XmlRefusal if it takes the thread too long or too much memory.
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

/** How many threads there are at present. */
export function countMessageThreads(platform: Platform): number {
  return messagePool(platform).piscina?.threads.length ?? 0
}

/** Ends the threads, if there are any, and refuses further work. */
export function closeMessagePool(platform: Platform): Promise<void> {
  return closeThreadPool(messagePool(platform))
}

function startThreads(): Piscina {
  return new Piscina({
    // None is kept without work: most deployments receive no message for long.
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
    recordTiming: false,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
  })
}
