import { sql } from 'kysely'
import type pg from 'pg'
import { boundedMap } from '../bounded-map.ts'
import { hasPassed } from '../clock.ts'
import type { Log } from '../observability/log.ts'
import { waitUntilDeadline } from './deadline.ts'
import { currentPlace, type Lane, readForAll } from './lanes.ts'
import { listen } from './listener.ts'
import type { Tx } from './pool.ts'
import { onCommit } from './tx.ts'

/** A read-through cache of rows that rarely change. */
export interface Cache<T> {
  get(key: string): Promise<T>
  /** Whether the value existed when it was last read, which was recently: `get` reads it again when it is due. */
  has(key: string): boolean
  /** Removes the entry here when the transaction commits, and in every other process by NOTIFY. */
  invalidate(tx: Tx, key: string): Promise<void>
}

export interface Caches {
  define<T>(name: string, load: (key: string) => Promise<T>): Cache<T>
  close(): Promise<void>
}

// The longest time that a stale value is used if the listening connection leads to a server that no longer responds.
// Twice as long if the system clock is set back in that time.
const TTL_MS = 5000
// The same limit while this process knows that it receives no notifications. It is not zero, so that an entry needed
// by many requests is read at most ten times a second.
const DISCONNECTED_TTL_MS = 100
const MAX_ENTRIES = 20_000
const CHANNEL = 'watchword_cache'

interface Entry<T> {
  value: Promise<T>
  readAtMs: number
  ttlMs: number
  /** Whether the entry must be read again, regardless of its age. */
  isDue: boolean
  /** The lane in which the value is being read, or null once it was read. */
  lane: Lane | null
}

function isFresh({ isDue, lane, readAtMs, ttlMs }: Entry<unknown>): boolean {
  // Process clock: how long this process keeps a cached value.
  // A read in progress is shared even if its value may be used only briefly.
  return !isDue && (lane !== null || !hasPassed(ttlMs, readAtMs, Date.now()))
}

export interface CacheOptions {
  /** Sends a statement on the listening connection every 2 s, to check that the server responds. */
  beat?(client: pg.ClientBase): Promise<unknown>
  /**
   * In tests: the interval of beats, in milliseconds. `ttlMs` and `disconnectedTtlMs` limit the use of entries while
   * notifications arrive and while they do not.
   */
  beatMs?: number
  ttlMs?: number
  disconnectedTtlMs?: number
}

/**
 * Creates the process's caches and listens for invalidations by other processes. When the listening connection is
 * lost, and again when it is replaced, every entry becomes due, because a notification may have been lost in between.
 */
export function openCaches(url: string, log: Log, options: CacheOptions = {}): Caches {
  const {
    ttlMs = TTL_MS,
    disconnectedTtlMs = DISCONNECTED_TTL_MS,
    beat = (client) => client.query('select 1'),
  } = options
  const defined = new Map<string, Pick<Remembered, 'drop' | 'expire'>>()
  let isListening = false
  const listener = listen(url, {
    ...{ channel: CHANNEL, log, beat, ...(options.beatMs === undefined ? {} : { beatMs: options.beatMs }) },
    onPayload(payload) {
      const at = payload.indexOf(':')
      defined.get(payload.slice(0, at))?.drop(payload.slice(at + 1))
    },
    onChange(isNow) {
      isListening = isNow
      for (const { expire } of defined.values()) expire()
    },
  })
  return {
    define<T>(name: string, load: (key: string) => Promise<T>): Cache<T> {
      const { find, has, add, keep, drop, expire } = remember<T>()
      defined.set(name, { drop, expire })
      const read = (key: string): Promise<T> => {
        // Concurrent misses share the promise. An invalidation during the load removes the entry, so a value read
        // before a change is not cached after it.
        const reading = readForAll(() => load(key))
        const entry: Entry<T> = {
          value: reading,
          // Process clock: how long this process keeps a cached value.
          readAtMs: Date.now(),
          ttlMs: isListening ? ttlMs : disconnectedTtlMs,
          isDue: false,
          lane: currentPlace().lane,
        }
        add(key, entry)
        reading.then(
          (value) => {
            entry.lane = null
            keep(key, entry, value !== null)
          },
          () => {
            entry.isDue = true
          },
        )
        return reading
      }
      return {
        get(key) {
          const known = find(key)
          // A caller does not wait for a read that an anonymous request started, because anyone can fill that queue.
          const isOwn =
            known && (known.lane === null || known.lane === 'callers' || currentPlace().lane === 'anonymous')
          if (!isOwn || !isFresh(known)) return waitUntilDeadline(read(key))
          return known.lane === null ? known.value : waitUntilDeadline(known.value)
        },
        has,
        async invalidate(tx, key) {
          onCommit(tx, () => drop(key))
          await sql`select pg_notify(${CHANNEL}, ${`${name}:${key}`})`.execute(tx)
        },
      }
    },
    close: () => listener.close(),
  }
}

type Remembered = ReturnType<typeof remember>

/**
 * The entries of a cache. Anyone can ask for any number of values that do not exist, such as wrong keys, so these have
 * their own map and do not push out existing values.
 */
function remember<T>() {
  const [there, others] = [boundedMap<Entry<T>>(MAX_ENTRIES), boundedMap<Entry<T>>(MAX_ENTRIES)]
  const find = (key: string) => there.get(key) ?? others.get(key)
  const drop = (key: string) => {
    there.delete(key)
    others.delete(key)
  }
  return {
    find,
    drop,
    /**
     * Makes `get` read every entry again. The entries stay, so `has` still finds them: an API key, for example, must not
     * count as unknown.
     */
    expire() {
      for (const entries of [there, others]) for (const entry of entries.values()) entry.isDue = true
    },
    has: (key: string) => there.has(key),
    add: (key: string, entry: Entry<T>) => (there.has(key) ? there : others).set(key, entry),
    /** Moves an entry to its map once it is known whether the value exists, unless the entry was removed meanwhile. */
    keep(key: string, entry: Entry<T>, isThere: boolean) {
      if (find(key) !== entry || there.has(key) === isThere) return
      drop(key)
      const entries = isThere ? there : others
      entries.set(key, entry)
    },
  }
}
