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
  /** Whether there was such a thing when it was last looked for, not long ago: `get` looks again where that is due. */
  has(key: string): boolean
  /** Drops the entry here when the transaction commits, and in every other process by NOTIFY. */
  invalidate(tx: Tx, key: string): Promise<void>
}

export interface Caches {
  define<T>(name: string, load: (key: string) => Promise<T>): Cache<T>
  close(): Promise<void>
}

// The bound on staleness while the listening connection leads to a server that has fallen silent. Twice as long, if the
// system clock is set back meanwhile.
const TTL_MS = 5000
// The same while this process knows that it hears nothing. Not zero, so that an entry that many requests need is read ten
// times a second at most.
const DISCONNECTED_TTL_MS = 100
const MAX_ENTRIES = 20_000
const CHANNEL = 'watchword_cache'

interface Entry<T> {
  value: Promise<T>
  readAtMs: number
  ttlMs: number
  /** Whether it is to be read again, however young it is. */
  isDue: boolean
  /** The lane that the value is being read in. Null once it is read. */
  lane: Lane | null
}

function isFresh({ isDue, lane, readAtMs, ttlMs }: Entry<unknown>): boolean {
  // Process clock: how long this process keeps a cached value.
  // What is being read is shared, however briefly its value may be used.
  return !isDue && (lane !== null || !hasPassed(ttlMs, readAtMs, Date.now()))
}

export interface CacheOptions {
  /** Asks the server something on the listening connection, every 2 s. */
  beat?(client: pg.ClientBase): Promise<unknown>
  /** In tests: how often, and how long entries are used while notifications arrive, and while not, in milliseconds. */
  beatMs?: number
  ttlMs?: number
  disconnectedTtlMs?: number
}

/**
 * Creates the process's caches and listens for invalidations by other processes. When the listening connection is lost, and
 * again when there is another one, every entry is due to be read again: a notification may have been lost in between.
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
        // Concurrent misses share the promise. An invalidation during the load drops it: a value read before a change is not
        // cached after it.
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
          // A caller does not wait for a read of an anonymous request, in whose queue anyone can stand.
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
 * What a cache holds. Anyone can ask for any number of things that are not there, such as keys: these do not push out
 * those that are.
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
    /** Makes every entry due, but keeps what `has` knows: a known caller is not treated as a stranger. */
    expire() {
      for (const entries of [there, others]) for (const entry of entries.values()) entry.isDue = true
    },
    has: (key: string) => there.has(key),
    add: (key: string, entry: Entry<T>) => (there.has(key) ? there : others).set(key, entry),
    /** Once it is known whether it is there; unless it was dropped meanwhile. */
    keep(key: string, entry: Entry<T>, isThere: boolean) {
      if (find(key) !== entry || there.has(key) === isThere) return
      drop(key)
      const entries = isThere ? there : others
      entries.set(key, entry)
    },
  }
}
