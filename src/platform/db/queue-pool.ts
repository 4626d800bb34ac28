import pg from 'pg'
import { breakClient, endClient } from './client.ts'
import { isConnectionUnusable } from './failure.ts'

export interface QueuePool {
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * The connections of the job queue. Its library returns every connection to the pool as usable, whatever happened, and
 * sends nothing on connections that only listen. So an unusable connection is closed as soon as a statement fails on
 * it, and listening connections are checked with a statement every `beatMs`.
 */
export function openQueuePool(pool: pg.Pool, { beatMs }: { beatMs: number }): QueuePool {
  const held = new Set<pg.PoolClient>()
  const unusable = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client) => closeWhenUnusable(client, unusable))
  pool.on('acquire', (client) => held.add(client))
  pool.on('release', (_error, client) => {
    held.delete(client)
    // The pool drops a connection that is being closed.
    if (unusable.has(client)) endClient(client).catch(() => undefined)
  })
  const beat = setInterval(() => {
    for (const client of held)
      if (client.listenerCount('notification') > 0) client.query('select 1').catch(() => undefined)
  }, beatMs)
  beat.unref()
  return {
    pool,
    close() {
      clearInterval(beat)
      return pool.end()
    },
  }
}

function closeWhenUnusable(client: pg.PoolClient, unusable: WeakSet<pg.PoolClient>): void {
  Object.assign(client, {
    query(...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(pg.Client.prototype.query, client, args)
      if (result instanceof Promise)
        result.catch((error: unknown) => {
          if (!isConnectionUnusable(error)) return
          unusable.add(client)
          breakClient(client)
        })
      return result
    },
  })
}
