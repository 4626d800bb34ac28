import pg from 'pg'
import { breakClient, endClient } from './client.ts'
import { isConnectionUnusable } from './failure.ts'

export interface QueuePool {
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * The connections of the job queue. Its library gives a connection back to the pool as usable whatever has happened, and
 * sends nothing on those on which it listens. So an unusable connection is closed as soon as a statement fails on it, and
 * those that listen are asked for an answer every `beatMs`.
 */
export function openQueuePool(pool: pg.Pool, { beatMs }: { beatMs: number }): QueuePool {
  const held = new Set<pg.PoolClient>()
  const unusable = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client) => closeWhenUnusable(client, unusable))
  pool.on('acquire', (client) => held.add(client))
  pool.on('release', (_error, client) => {
    held.delete(client)
    // The pool keeps none that is being ended.
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
