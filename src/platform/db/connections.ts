import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { boundedMap } from '../bounded-map.ts'
import { breakClient } from './client.ts'
import type { ConnectionQueue } from './connection-queue.ts'
import { timeToAnswer } from './deadline.ts'
import { fromDatabase, isConnectionUnusable, isOutdatedStatement, sqlState } from './failure.ts'
import { currentPlace, type Lane } from './lanes.ts'

// One-off statements, such as a long list of values, would fill the memory of every connection.
const MAX_STATEMENTS = 500
const MAX_TEXT_LENGTH = 5000
// Each write to a server that only reads makes its connection unusable. The others still read, so they are kept this long.
const MIN_DROP_MS = 1000
// Its transaction has failed already, perhaps since the server is silent: closing the connection rolls back, too.
const ROLLBACK_MS = 500

/** A connection of a pool, lent for one statement or transaction. */
interface Lent extends PostgresPoolClient {
  /** Sends the statement as it is. */
  send<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

export interface Connections {
  /** Lends one of this queue. Rejects when none becomes free in time. */
  take(queue: ConnectionQueue): Promise<Lent>
  /** The pools as the query builder sees them. */
  forBuilder: PostgresPool
}

/**
 * Lends the connections of the pools. The query builder gets one from the lane and transaction depth of the running
 * code. A statement of it that recurs is prepared under a name (`named`), so that PostgreSQL parses and plans it once per
 * connection. Once a connection is unusable, all that were opened before are closed instead of lent: they lead to the same
 * server.
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

/** Without the farewell of the protocol, after which a pool waits for the server to close its side. */
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
    // A rollback would wait for the answer that has not come. Closing the connection rolls back.
    if (failure !== null) throw failure
    const query_timeout = statement.text === 'rollback' ? ROLLBACK_MS : timeToAnswer(answerMs)
    const asked = { ...statement, query_timeout }
    try {
      return await fromDatabase(() => ask(client, asked))
    } catch (error) {
      if (isConnectionUnusable(error)) {
        failure = error
        // A request that had less time says nothing of the server.
        if (query_timeout === answerMs || sqlState(error) !== null) onUnusable(client)
      }
      // Under its name the statement would fail there again.
      isOutdated ||= isOutdatedStatement(error)
      throw error
    }
  }
  // The transaction has failed before: the caller gets its error, not that of the rollback.
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
      // It failed before it ran. A transaction is run again as a whole.
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
