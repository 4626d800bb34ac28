import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { boundedMap } from '../bounded-map.ts'
import { breakClient } from './client.ts'
import type { ConnectionQueue } from './connection-queue.ts'
import { timeToAnswer } from './deadline.ts'
import { fromDatabase, isConnectionUnusable, isOutdatedStatement, sqlState } from './failure.ts'
import { currentPlace, type Lane } from './lanes.ts'

// Statements that occur once, such as one with a long list of values, would fill the memory of every connection.
const MAX_STATEMENTS = 500
const MAX_TEXT_LENGTH = 5000
// Each write to a read-only server makes its connection unusable. The other connections can still read, so they are
// kept this long.
const MIN_DROP_MS = 1000
// The transaction has already failed, perhaps because the server does not respond. Closing the connection rolls it
// back too.
const ROLLBACK_MS = 500

/** A connection of a pool, lent for one statement or transaction. */
interface Lent extends PostgresPoolClient {
  /** Sends the statement unchanged. */
  send<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

export interface Connections {
  /** Lends a connection of this queue. Rejects if none becomes free in time. */
  take(queue: ConnectionQueue): Promise<Lent>
  /** The pools in the form that the query builder expects. */
  forBuilder: PostgresPool
}

/**
 * Lends the connections of the pools. The lane and transaction depth of the running code decide which pool the query
 * builder gets. A recurring statement of the query builder is prepared under a name (`named`), so that PostgreSQL
 * parses and plans it once for each connection. When a connection becomes unusable, all older connections are closed
 * instead of lent, because they lead to the same server.
 */
export function lendConnections(
  queues: Record<Lane, ConnectionQueue[]>,
  { named, answerMs }: { named: boolean; answerMs: number },
): Connections {
  const names = statementNames()
  const prepared = named ? names : { ...names, nameOf: () => undefined }
  const all = Object.values(queues)
    .flat()
    .map(({ pool }) => pool)
  const lent = new WeakMap<pg.PoolClient, Lent>()
  const openedIn = new WeakMap<pg.PoolClient, number>()
  let generation = 0
  let droppedAt = Number.NEGATIVE_INFINITY
  for (const pool of all) pool.on('connect', (client) => openedIn.set(client, generation))
  const onUnusable = (client: pg.PoolClient) => {
    const now = performance.now()
    if (openedIn.get(client) !== generation || now - droppedAt < MIN_DROP_MS) return
    generation++
    droppedAt = now
  }
  const take = async (queue: ConnectionQueue) => {
    let client = await queue.take()
    while (openedIn.get(client) !== generation) {
      close(client)
      client = await queue.take()
    }
    const wrapped = lent.get(client) ?? wrapClient(client, prepared, { answerMs, onUnusable })
    lent.set(client, wrapped)
    return wrapped
  }
  return {
    take,
    forBuilder: {
      async end() {
        await Promise.all(all.map((pool) => pool.end()))
      },
      async connect() {
        const { lane, depth } = currentPlace()
        const own = queues[lane]
        const queue = own[Math.min(depth, own.length - 1)]
        if (!queue) throw new Error('No pool of connections')
        return take(queue)
      },
    },
  }
}

/** Closes without the protocol's terminate message, after which a pool would wait for the server to close its side. */
function close(client: pg.PoolClient): void {
  breakClient(client)
  client.release(true)
}

function wrapClient(
  client: pg.PoolClient,
  { nameOf, renew }: StatementNames,
  { answerMs, onUnusable }: { answerMs: number; onUnusable(client: pg.PoolClient): void },
): Lent {
  let failure: unknown = null
  let isOutdated = false
  const send = async (statement: pg.QueryConfig) => {
    // A rollback would wait for the response that did not arrive. Closing the connection rolls back too.
    if (failure !== null) throw failure
    const query_timeout = statement.text === 'rollback' ? ROLLBACK_MS : timeToAnswer(answerMs)
    const asked = { ...statement, query_timeout }
    try {
      return await fromDatabase(() => ask(client, asked))
    } catch (error) {
      if (isConnectionUnusable(error)) {
        failure = error
        // If a request had less time than usual, its timeout does not show that the server is unusable.
        if (query_timeout === answerMs || sqlState(error) !== null) onUnusable(client)
      }
      // A later use of the prepared statement would fail in the same way.
      isOutdated ||= isOutdatedStatement(error)
      throw error
    }
  }
  // The transaction has already failed, so the caller gets that error and not the rollback's.
  const rollBack = () =>
    send({ text: 'rollback' }).catch((error: unknown): pg.QueryResult => {
      failure ??= error
      return { command: 'ROLLBACK', rowCount: null, oid: 0, fields: [], rows: [] }
    })
  const query = async (text: string, values: unknown[]) => {
    if (text === 'rollback') return rollBack()
    const name = values.length > 0 ? nameOf(text) : undefined
    const isAlone = client.getTransactionStatus() === 'I'
    try {
      return await send({ text, values, ...(name === undefined ? {} : { name }) })
    } catch (error) {
      if (!isOutdatedStatement(error)) throw error
      renew(text, name)
      // The statement failed before it ran. In a transaction, only the whole transaction can be run again.
      if (!isAlone) throw error
      return send({ text, values })
    }
  }
  const release = () => {
    if (failure !== null || isOutdated) close(client)
    else client.release()
  }
  return Object.assign(Object.create(null), { query, send, release })
}

/** Uses a callback, because the driver's own promise keeps objects in memory for two garbage collections. */
function ask(client: pg.PoolClient, query: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    void client.query(query, (error, result) => (error ? reject(error) : resolve(result)))
  })
}

const lasting = new Set<string>()

/** Prepares a statement regardless of its length. The number of such statements must not grow. */
export function keepPrepared(text: string): string {
  lasting.add(text)
  return text
}

interface StatementNames {
  nameOf(text: string): string | undefined
  /** Gives every statement a new name, unless that was done after this statement got its name. */
  renew(text: string, name: string | undefined): void
}

/** Assigns a name to each statement when it occurs for the second time. */
function statementNames(): StatementNames {
  const names = new Map<string, string>()
  const seen = boundedMap<true>(MAX_STATEMENTS)
  let generation = 0
  const nameOf = (text: string) => {
    const known = names.get(text)
    const isOneOff = text.length > MAX_TEXT_LENGTH && !lasting.has(text)
    if (known !== undefined || isOneOff || names.size >= MAX_STATEMENTS) return known
    if (!seen.has(text)) {
      seen.set(text, true)
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
