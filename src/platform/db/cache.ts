import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../log.ts'
import { readForAll } from './connections.ts'
import type { Tx } from './pool.ts'
import { onCommit } from './tx.ts'

/** A read-through cache of rows that rarely change. */
export interface Cache<T> {
  get(key: string): Promise<T>
  /** Drops the entry here when the transaction commits, and in every other process by NOTIFY. */
  invalidate(tx: Tx, key: string): Promise<void>
}

export interface Caches {
  define<T>(name: string, load: (key: string) => Promise<T>): Cache<T>
  close(): Promise<void>
}

// The bound on staleness if a notification is lost, for example while the listening connection is down.
const TTL_MS = 5000
const MAX_ENTRIES = 20_000
const CHANNEL = 'watchword_cache'

interface Entry<T> {
  value: Promise<T>
  expiresAtMs: number
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
      const entries = new Map<string, Entry<T>>()
      const drop = (key: string) => void entries.delete(key)
      drops.set(name, drop)
      return {
        get(key) {
          const known = entries.get(key)
          if (known && known.expiresAtMs > Date.now()) return known.value
          if (entries.size >= MAX_ENTRIES) entries.clear()
          // The promise is stored, so that concurrent misses load once. An invalidation during the load drops it, so
          // that a value read before a change is not cached after it.
          const value = readForAll(() => load(key))
          entries.set(key, { value, expiresAtMs: Date.now() + TTL_MS })
          value.catch(() => drop(key))
          return value
        },
        async invalidate(tx, key) {
          onCommit(tx, () => drop(key))
          await sql`select pg_notify(${CHANNEL}, ${`${name}:${key}`})`.execute(tx)
        },
      }
    },
    close: () => listener.close(),
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
