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
  /** Of callers with a credential, and of jobs. */
  pool: pg.Pool
  /** Runs a statement that the query builder would only slow down. */
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Row[]>
  /** For the job queue only, which ends the process when it gets no connection in time, as could happen under load. */
  queuePool(): pg.Pool
  /** How long a request may wait for the database in all, in milliseconds. */
  requestMs: number
  /** Whether a request that comes now would wait for a connection in vain. */
  isBusy(): boolean
  /** What each pool is doing; those of one name do the same. */
  poolStates(): PoolState[]
  url: string
  /** Where the database itself answers: another address if a pooler is in front. */
  directUrl: string
  /**
   * Whether tables are distributed over several servers (Citus). A statement then has to name one directory, and may lock
   * no rows of several.
   */
  distributed: boolean
  close(): Promise<void>
}

// Our int8 counts stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

// Connections that code inside a transaction needs in addition, for example to load a key or setting that is not
// cached. With a single pool this would deadlock once every connection is held by a transaction that waits for another
// one. The last pool of a lane is for reads that several requests wait for (`readForAll`). They never lead through a
// pooler: transactions of all processes could hold every connection that it has, and wait for these.
const CONNECTIONS = 10
const NESTED_CONNECTIONS = [2, 2]
const ANONYMOUS_CONNECTIONS = [2, 2] as const
const QUEUE_CONNECTIONS = 4

/** The maximum number of connections of a process: its pools, and the one on which its caches listen. */
export const CONNECTIONS_PER_PROCESS = [
  CONNECTIONS,
  ...NESTED_CONNECTIONS,
  ...ANONYMOUS_CONNECTIONS,
  QUEUE_CONNECTIONS,
].reduce((sum, count) => sum + count, 1)

/** What bounds the waits of a process for its database, in milliseconds. */
export interface WaitingBounds {
  /** How long an answer may take. A little longer than the server gives a statement: it passes only where no server answers. */
  answerMs: number
  /** How long a request may wait in all: for turns, connections, locks and answers. */
  requestMs: number
  /** A request is refused at once if it would wait longer for a connection, at the rate at which they become free. */
  fullMs: number
}

const BOUNDS: WaitingBounds = { answerMs: 4000, requestMs: 5000, fullMs: 2000 }

export interface DatabaseOptions {
  maxConnections?: number
  pooler?: Pooler | null
  /** In tests: other bounds. */
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
    // A pooler takes none: its connections have those that are stored with the role.
    ...(pooled ? {} : sessionParameters),
    ...keptAlive,
  })
  // A broken idle connection is replaced on the next use; without a listener its error would end the process.
  pool.on('error', () => undefined)
  // The same for a connection that breaks between two statements of a transaction: the next statement fails.
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
  // A distributed database names it in the message alone, with the number of the shard after it.
  const message = readErrorField(error, 'message')
  const words = typeof message === 'string' ? (message.match(/\w+/g) ?? []) : []
  return words.some((word) => word === constraint || word.replace(/_\d+$/, '') === constraint)
}
