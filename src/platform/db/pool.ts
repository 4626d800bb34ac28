import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { readErrorField } from '../errors.ts'
import type { PoolState } from '../observability/metrics.ts'
import { keptAlive } from './client.ts'
import { CONNECT_MS, openQueue } from './connection-queue.ts'
import { lendConnections } from './connections.ts'
import { isOutdatedStatement, sqlState } from './failure.ts'
import { prepareConnection } from './hanging-commits.ts'
import type { Pooler } from './pooler.ts'
import { openQueuePool, type QueuePool } from './queue-pool.ts'
import type { DB } from './schema.gen.ts'
import { sessionParameters } from './session-settings.ts'

/** A handle for single statements: the pool, or a transaction. */
export type Db = Kysely<DB>
/** A handle inside a transaction, for writes that must be atomic. */
export type Tx = Transaction<DB>

export interface Database {
  db: Db
  /** The pool for callers with a credential and for jobs. */
  pool: pg.Pool
  /** Runs a statement without the query builder, which would only slow it down. */
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Row[]>
  /**
   * For the job queue only. It ends the process if it gets no connection in time, which could happen in a shared pool
   * under load.
   */
  queuePool(): pg.Pool
  /** How long a request may wait for the database in total, in milliseconds. */
  requestMs: number
  /** Whether a new request would wait for a connection in vain. */
  isBusy(): boolean
  /** The state of each pool. Pools with the same name have the same task. */
  poolStates(): PoolState[]
  url: string
  /** The address of the database itself, which differs if a pooler is in front of it. */
  directUrl: string
  /**
   * Whether tables are distributed over several servers (Citus). Each statement must then name one directory and may
   * not lock rows of several.
   */
  distributed: boolean
  close(): Promise<void>
}

// Our int8 counts stay far below 2^53, so a number can represent them.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

// Connections for statements outside the running transaction, for example to load a key or setting that is not cached.
// With a single pool this would deadlock once every connection is used by a transaction that waits for another one.
// The last pool of a lane is for reads that several requests wait for (`readForAll`). These pools bypass the pooler.
// Otherwise the transactions of all processes could occupy every pooler connection while they wait for these reads.
const CONNECTIONS = 10
const NESTED_CONNECTIONS = [2, 2]
const ANONYMOUS_CONNECTIONS = [2, 2] as const
const QUEUE_CONNECTIONS = 4

/** The maximum number of connections of a process: its pools, and the connection on which its caches listen. */
export const CONNECTIONS_PER_PROCESS = [
  CONNECTIONS,
  ...NESTED_CONNECTIONS,
  ...ANONYMOUS_CONNECTIONS,
  QUEUE_CONNECTIONS,
].reduce((sum, count) => sum + count, 1)

/** Limits on how long a process waits for its database, in milliseconds. */
export interface WaitingBounds {
  /**
   * How long a response may take. A little longer than the server's own statement timeout, so it only passes if no
   * server responds.
   */
  answerMs: number
  /** How long a request may wait in total: for its turn, connections, locks and results. */
  requestMs: number
  /**
   * A request is refused at once if it would wait longer for a connection, at the rate at which connections become
   * free.
   */
  fullMs: number
}

const BOUNDS: WaitingBounds = { answerMs: 4000, requestMs: 5000, fullMs: 2000 }

export interface DatabaseOptions {
  maxConnections?: number
  pooler?: Pooler | null
  /** In tests: different limits. */
  bounds?: Partial<WaitingBounds>
}

/** Opens pools of connections. Does not connect yet. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { pooler = null } = options
  const { answerMs, requestMs, fullMs } = { ...BOUNDS, ...options.bounds }
  const pooled = pooler !== null
  const directUrl = pooler?.directUrl ?? url
  const pool = openPool(url, options.maxConnections ?? CONNECTIONS, { pooled, answerMs })
  const [anonymous, ...anonymousNested] = ANONYMOUS_CONNECTIONS
  const openNested = (max: number) => openPool(directUrl, max, { answerMs })
  const queueFor = (own: pg.Pool) => openQueue(own, fullMs)
  const callers = queueFor(pool)
  const queues = {
    callers: [callers, ...NESTED_CONNECTIONS.map(openNested).map(queueFor)],
    anonymous: [openPool(url, anonymous, { pooled, answerMs }), ...anonymousNested.map(openNested)].map(queueFor),
  }
  const connections = lendConnections(queues, { named: pooler?.keepsStatements ?? true, answerMs })
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: connections.forBuilder }) })
  let jobs: QueuePool | null = null
  return {
    db,
    pool,
    async query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig) {
      const connection = await connections.take(callers)
      try {
        const asked = pooler?.keepsStatements === false ? unnamed(statement) : statement
        const { rows } = await connection.send<Row>(asked).catch((error: unknown) => {
          if (isOutdatedStatement(error)) return connection.send<Row>(unnamed(statement))
          throw error
        })
        return rows
      } finally {
        connection.release()
      }
    },
    queuePool() {
      jobs ??= openQueuePool(openPool(directUrl, QUEUE_CONNECTIONS, { answerMs, connectionTimeoutMillis: 30_000 }), {
        beatMs: answerMs,
      })
      return jobs.pool
    },
    requestMs,
    isBusy: callers.isFull,
    poolStates: () => [
      ...queues.callers.map((own) => stateOf(own === callers ? 'requests' : 'nested', own.pool)),
      ...queues.anonymous.map((own) => stateOf('anonymous', own.pool)),
      ...(jobs ? [stateOf('jobs', jobs.pool)] : []),
    ],
    url,
    directUrl,
    distributed: false,
    async close() {
      await jobs?.close()
      await db.destroy()
    },
  }
}

function stateOf(name: string, { totalCount, idleCount, waitingCount }: pg.Pool): PoolState {
  return { name, used: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
}

function openPool(
  url: string,
  max: number,
  {
    pooled = false,
    connectionTimeoutMillis = CONNECT_MS,
    answerMs,
  }: { pooled?: boolean; connectionTimeoutMillis?: number; answerMs: number },
): pg.Pool {
  // Own connection: this is where the pools are opened, with deadlines.
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'watchword',
    // A request that gets no connection in this time is refused with 503.
    connectionTimeoutMillis,
    query_timeout: answerMs,
    onConnect: (client) => prepareConnection(client, { answerMs, pooled }),
    // A pooler accepts no session parameters, so its connections use those stored with the role.
    ...(pooled ? {} : sessionParameters),
    ...keptAlive,
  })
  // A broken idle connection is replaced at the next use. Without a listener, its error would end the process.
  pool.on('error', () => undefined)
  // A connection may also break between two statements of a transaction. Then the next statement fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

function unnamed({ name: _, ...statement }: pg.QueryConfig): pg.QueryConfig {
  return statement
}

/** Whether the error is a violation of this unique index or constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (sqlState(error) !== '23505') return false
  const named = readErrorField(error, 'constraint')
  if (typeof named === 'string') return named === constraint
  // A distributed database names the constraint only in the message, followed by the shard number.
  const message = readErrorField(error, 'message')
  const words = typeof message === 'string' ? (message.match(/\w+/g) ?? []) : []
  return words.some((word) => word === constraint || word.replace(/_\d+$/, '') === constraint)
}
