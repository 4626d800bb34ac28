import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import type { ConnectionQueue } from './connection-queue.ts'
import { timeToAnswer } from './deadline.ts'
import { fromDatabase, isConnectionSpent, isOutdatedStatement } from './failure.ts'
import { currentPlace, type Lane } from './lanes.ts'

// One-off statements, such as a long list of values, would fill the memory of every connection.
const MAX_STATEMENTS = 500
const MAX_TEXT_LENGTH = 5000

/**
 * The pools as the query builder sees them. A connection comes from the lane and transaction depth of the running
 * code. A statement that recurs is prepared under a name (`named`), so that PostgreSQL parses and plans it once per
 * connection.
 */
export function preparingPool(
  queues: Record<Lane, ConnectionQueue[]>,
  { named, answerMs }: { named: boolean; answerMs: number },
): PostgresPool {
  const names = statementNames()
  const prepared = named ? names : { ...names, nameOf: () => undefined }
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    async end() {
      await Promise.all(Object.values(queues).flatMap((own) => own.map(({ pool }) => pool.end())))
    },
    async connect() {
      const { lane, depth } = currentPlace()
      const own = queues[lane]
      const queue = own[Math.min(depth, own.length - 1)]
      if (!queue) throw new Error('No pool of connections')
      const client = await queue.take()
      const known = wrapped.get(client)
      if (known) return known
      const preparing = wrapClient(client, prepared, answerMs)
      wrapped.set(client, preparing)
      return preparing
    },
  }
}

function wrapClient(client: pg.PoolClient, { nameOf, renew }: StatementNames, answerMs: number): PostgresPoolClient {
  let spentBy: unknown = null
  const query = async (text: string, values: unknown[]) => {
    // A rollback would wait for the answer that has not come. Closing the connection rolls back.
    if (spentBy !== null) throw spentBy
    const name = values.length > 0 ? nameOf(text) : undefined
    const isAlone = client.getTransactionStatus() === 'I'
    const query_timeout = text === 'rollback' ? answerMs : timeToAnswer(answerMs)
    const asked = { text, values, query_timeout }
    try {
      return await fromDatabase(() => ask(client, name === undefined ? asked : { ...asked, name }))
    } catch (error) {
      if (isConnectionSpent(error)) spentBy = error
      if (!isOutdatedStatement(error)) throw error
      renew(text, name)
      // It failed before it ran. A transaction is run again as a whole.
      if (!isAlone) throw error
      return fromDatabase(() => ask(client, asked))
    }
  }
  return Object.assign(Object.create(null), { query, release: () => client.release(spentBy !== null) })
}

/** By a callback: what the driver's own promise leaves behind outlives two collections, with all that waits for it. */
function ask(client: pg.PoolClient, query: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    void client.query(query, (error, result) => (error ? reject(error) : resolve(result)))
  })
}

const lasting = new Set<string>()

/** Has a statement prepared however long it is: it must be one of a number that does not grow. */
export function keepPrepared(text: string): string {
  lasting.add(text)
  return text
}

interface StatementNames {
  nameOf(text: string): string | undefined
  /** Gives every statement another name, unless that was done since this one got its name. */
  renew(text: string, name: string | undefined): void
}

/** Assigns names to statements from their second occurrence on. */
function statementNames(): StatementNames {
  const names = new Map<string, string>()
  const seen = new Set<string>()
  let generation = 0
  const nameOf = (text: string) => {
    const known = names.get(text)
    const isOneOff = text.length > MAX_TEXT_LENGTH && !lasting.has(text)
    if (known !== undefined || isOneOff || names.size >= MAX_STATEMENTS) return known
    if (!seen.has(text)) {
      if (seen.size >= MAX_STATEMENTS) seen.clear()
      seen.add(text)
      return undefined
    }
    const name = `ww_${createHash('sha256').update(`${generation} ${text}`).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }
  const renew = (text: string, name: string | undefined) => {
    if (names.get(text) !== name) return
    generation++
    names.clear()
  }
  return { nameOf, renew }
}
