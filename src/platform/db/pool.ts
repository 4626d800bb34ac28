import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { preparingPool } from './connections.ts'
import type { DB } from './schema.gen.ts'

/** A handle for single statements: the pool, or a transaction. */
export type Db = Kysely<DB>
/** A handle inside a transaction, for what must be written together or not at all. */
export type Tx = Transaction<DB>

export interface Database {
  db: Db
  pool: pg.Pool
  /** Of the job queue alone, which ends the process when it gets no connection in time, as under load it might not. */
  queuePool(): pg.Pool
  url: string
  close(): Promise<void>
}

// int8 counts of ours stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

// Connections for what a transaction needs besides its own, such as a key or setting that is not in memory yet. From
// the common pool they could never come when every connection of it is held by a transaction that waits for one. The
// last are for what several requests wait for together (`readForAll`).
const NESTED_CONNECTIONS = [4, 2, 2]

/** Opens pools of connections. Does not connect yet. */
export function openDatabase(url: string, options: { maxConnections?: number } = {}): Database {
  const pool = openPool(url, options.maxConnections ?? 10)
  const pools = [pool, ...NESTED_CONNECTIONS.map((max) => openPool(url, max))]
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: preparingPool(pools) }) })
  let queuePool: pg.Pool | null = null
  return {
    db,
    pool,
    queuePool() {
      queuePool ??= openPool(url, 4, 30_000)
      return queuePool
    },
    url,
    async close() {
      await queuePool?.end()
      await db.destroy()
    },
  }
}

function openPool(url: string, max: number, connectionTimeoutMillis = 3000): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: 'watchword',
    // A request waits for a free connection no longer than this, then is refused with 503.
    connectionTimeoutMillis,
    statement_timeout: 3000,
    lock_timeout: 1000,
    idle_in_transaction_session_timeout: 10_000,
    // Every statement of ours has an index. A plan that was made while a table was small would else go on reading the
    // whole of it, as it grows, until the next analysis; and compiling a plan costs more than any of them takes.
    options: '-c enable_seqscan=off -c jit=off',
    keepAlive: true,
  })
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => undefined)
  // The same for one in use between two statements of a transaction: the next statement tells.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** SQLSTATE of a database error, or null for any other error. */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code: unknown = Reflect.get(error, 'code')
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}

/** Whether the error is a violation of this unique index or constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return sqlState(error) === '23505' && error instanceof Error && Reflect.get(error, 'constraint') === constraint
}

// Not now, but maybe later: connection failures (08, 57P0x), no resources or full disk (53), a statement or lock that
// took too long (57014, 55P03), a demoted primary (25006), what a retry did not cure (40001, 40P01), and a
// statement prepared before a migration (0A000).
const PASSING_STATES = /^(08|53|57P0|57014$|55P03$|25006$|40001$|40P01$|0A000$)/
const PASSING_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
])
const PASSING_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered|not queryable/

/** Whether the database, not the request, is what failed: answered with 503 and Retry-After. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = sqlState(error)
  if (state && PASSING_STATES.test(state)) return true
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string' && PASSING_CODES.has(code)) return true
  return PASSING_MESSAGES.test(error.message)
}
