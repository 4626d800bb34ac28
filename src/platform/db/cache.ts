import { sql } from 'kysely'
import pg from 'pg'
import type { Awaitable } from '../awaitable.ts'
import type { Log } from '../log.ts'
import { waitUntilDeadline } from './deadline.ts'
import { currentPlace, type Lane, readForAll } from './lanes.ts'
import type { Tx } from './pool.ts'
import { onCommit } from './tx.ts'

/** A read-through cache of rows that rarely change. */
export interface Cache<T> {
  /** The value at once if it is known, or else a promise of it. */
  get(key: string): Awaitable<T>
  /** Whether there was such a thing when it was last looked for, not long ago: `get` looks again where that is due. */
  has(key: string): boolean
  /** Drops the entry here when the transaction commits, and in every other process by NOTIFY. */
  invalidate(tx: Tx, key: string): Promise<void>
}

export interface Caches {
  define<T>(name: string, load: (key: string) => Promise<T>): Cache<T>
  close(): Promise<void>
}

// The bound on staleness, but for a turn of the event loop, if a notification is lost, for example while the listening
// connection is down.
const TTL_MS = 5000
const MAX_ENTRIES = 20_000
const CHANNEL = 'watchword_cache'

interface Entry<T> {
  value: Awaitable<T>
  expiresAtMs: number
  /** Of those for whom it is read; null once it is. */
  lane: Lane | null
}

let turnMs: number | null = null

/** The time, read once in a turn of the event loop: each of its requests looks into several caches. */
function timeOfTurn(): number {
  if (turnMs === null) {
    turnMs = Date.now()
    setImmediate(() => {
      turnMs = null
    })
  }
  return turnMs
}

/** Creates the process's caches and listens for invalidations by other processes. */
export function openCaches(url: string, log: Log): Caches {
  const drops = new Map<string, (key: string) => void>()
  const listener = listen(url, log, (payload) => {
    const at = payload.indexOf(':')
    drops.get(payload.slice(0, at))?.(payload.slice(at + 1))
  })
  return {
    define<T>(name: string, load: (key: string) => Promise<T>): Cache<T> {
      const { find, has, add, keep, drop } = remember<T>()
      drops.set(name, drop)
      const read = (key: string): Promise<T> => {
        const { lane } = currentPlace()
        // The promise is stored, so that concurrent misses load once, until its value takes its place. An invalidation
        // during the load drops it, so that a value read before a change is not cached after it.
        const reading = readForAll(() => load(key))
        const entry: Entry<T> = { value: reading, expiresAtMs: Date.now() + TTL_MS, lane }
        add(key, entry)
        reading.then(
          (value) => {
            entry.value = value
            entry.lane = null
            keep(key, entry, value !== null)
          },
          () => {
            entry.expiresAtMs = 0
          },
        )
        return reading
      }
      return {
        get(key) {
          const known = find(key)
          // A caller does not wait for what is read for nobody, in whose queue anyone can stand.
          const isOwn =
            known && (known.lane === null || known.lane === 'callers' || currentPlace().lane === 'anonymous')
          const value = isOwn && known.expiresAtMs > timeOfTurn() ? known.value : read(key)
          return value instanceof Promise ? waitUntilDeadline(value) : value
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

/**
 * What a cache holds. Anyone can ask for any number of things that are not there, such as keys: these do not push out
 * those that are.
 */
function remember<T>() {
  const [there, others] = [new Map<string, Entry<T>>(), new Map<string, Entry<T>>()]
  const put = (entries: Map<string, Entry<T>>, key: string, entry: Entry<T>) => {
    entries.delete(key)
    const oldest = entries.size >= MAX_ENTRIES ? entries.keys().next().value : undefined
    if (oldest !== undefined) entries.delete(oldest)
    entries.set(key, entry)
  }
  const find = (key: string) => there.get(key) ?? others.get(key)
  const drop = (key: string) => {
    there.delete(key)
    others.delete(key)
  }
  return {
    find,
    drop,
    has: (key: string) => there.has(key),
    add: (key: string, entry: Entry<T>) => put(there.has(key) ? there : others, key, entry),
    /** Once it is known whether it is there; unless it was dropped meanwhile. */
    keep(key: string, entry: Entry<T>, isThere: boolean) {
      if (find(key) !== entry || there.has(key) === isThere) return
      drop(key)
      put(isThere ? there : others, key, entry)
    },
  }
}

function listen(url: string, log: Log, onPayload: (payload: string) => void) {
  let client: pg.Client | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const again = () => {
    if (closed || retry) return
    retry = setTimeout(() => {
      retry = undefined
      connect().catch(again)
    }, 500)
    retry.unref()
  }

  async function connect() {
    const next = new pg.Client({ connectionString: url, application_name: 'watchword-cache', keepAlive: true })
    next.on('error', (error) => log.warn({ error }, 'The cache listener lost its connection'))
    next.on('end', again)
    next.on('notification', (message) => onPayload(message.payload ?? ''))
    await next.connect()
    await next.query(`listen ${CHANNEL}`)
    client = next
    if (closed) await next.end()
  }

  connect().catch(again)
  return {
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
