import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'

// Texts that occur once, such as a long list of values, would fill the memory of every connection.
const MAX_STATEMENTS = 500
const MAX_TEXT_LENGTH = 5000

/** How many transactions the running code is inside of. */
export const transactionDepth = new AsyncLocalStorage<number>()

/**
 * Reads on connections of its own what several requests wait for together. One of them may hold a transaction, and with
 * it the connection that the request which asked first still waits for: on that one the read would never begin.
 */
export function readForAll<T>(read: () => Promise<T>): Promise<T> {
  return transactionDepth.run(Number.MAX_SAFE_INTEGER, read)
}

/**
 * The pools as the query builder sees them. A connection comes from the pool of the depth it is asked for at. A
 * statement that comes again is prepared under a name, so that PostgreSQL parses and plans it once a connection
 * instead of every time.
 */
export function preparingPool(pools: pg.Pool[]): PostgresPool {
  const nameOf = statementNames()
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    async end() {
      await Promise.all(pools.map((pool) => pool.end()))
    },
    async connect() {
      const pool = pools[Math.min(transactionDepth.getStore() ?? 0, pools.length - 1)]
      if (!pool) throw new Error('No pool of connections')
      const client = await pool.connect()
      const known = wrapped.get(client)
      if (known) return known
      const preparing = wrapClient(client, nameOf)
      wrapped.set(client, preparing)
      return preparing
    },
  }
}

function wrapClient(client: pg.PoolClient, nameOf: (text: string) => string | undefined): PostgresPoolClient {
  let outdated = false
  const query = async (text: string, values: unknown[]) => {
    const name = values.length > 0 ? nameOf(text) : undefined
    try {
      return await client.query({ text, values, ...(name === undefined ? {} : { name }) })
    } catch (error) {
      // A migration has changed a table under a prepared statement: this connection goes, the next one prepares anew.
      if (error instanceof Error && Reflect.get(error, 'code') === '0A000') outdated = true
      throw error
    }
  }
  return Object.assign(Object.create(null), { query, release: () => client.release(outdated) })
}

/** Names statements from their second occurrence on. */
function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  const seen = new Set<string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || text.length > MAX_TEXT_LENGTH || names.size >= MAX_STATEMENTS) return known
    if (!seen.has(text)) {
      if (seen.size >= MAX_STATEMENTS) seen.clear()
      seen.add(text)
      return undefined
    }
    const name = `ww_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }
}
