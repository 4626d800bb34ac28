import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { endClient, keptAlive } from '../db/client.ts'
import { databaseName, readPassword } from './embedded-cluster.ts'
import { EmbeddedError, errorCode } from './embedded-error.ts'
import { isTrustedSocketDirectory } from './embedded-home.ts'
import { isAlive } from './embedded-process.ts'
import {
  findServerPid,
  judgeLaunch,
  type Launch,
  launchServer,
  type Postmaster,
  readPostmaster,
  type Server,
  stopServer,
  tooSlowError,
} from './embedded-server.ts'

export type Role = 'owner' | 'guest'

/** The ownership of the server: a session that holds the lock, or none for a guest of a running owner. */
export interface Claim {
  session?: pg.Client
  origin: 'started' | 'found'
}

const startMs = 30_000
/** How long a dead owner's session may remain until PostgreSQL, on a machine that is busy, notices the closed connection. */
const vanishMs = 10_000

/** Arbitrary. The lock is taken in the database "postgres", so that "watchword" can be copied and dropped. */
const lockKey = [1463899203, 1]

/**
 * Starts the server if none runs and takes the owner's advisory lock. The lock belongs to a database session, so it
 * ends with this process, however that ends. Throws EmbeddedError when another process is the owner.
 */
export async function claimServer(server: Server, role: Role, signal: AbortSignal): Promise<Claim> {
  // Process clock: limits the wait for a database that has not started yet.
  const begunAt = Date.now()
  for (;;) {
    const { client, origin } = await connectOrStart(server, role, begunAt + startMs, signal)
    const verdict = await tryClaim(client, role)
    if (verdict === 'ours') return { session: client, origin }
    await endClient(client)
    if (verdict === 'shared') return { origin }
    if (verdict !== 'gone') refuseSecondOwner(server, role, verdict, Date.now() - begunAt)
    await delay(50, undefined, { signal })
  }
}

/**
 * `shared`: a guest may use the owner's server. `gone`: the server is being stopped, perhaps by an owner that is
 * ending.
 */
async function tryClaim(client: pg.Client, role: Role): Promise<'ours' | 'shared' | 'gone' | Holder> {
  try {
    const holder = await takeLock(client)
    if (!holder) await createDatabase(client)
    if (!holder) return 'ours'
    return role === 'guest' && holder.role === 'owner' && (await findDatabase(client)) ? 'shared' : holder
  } catch (error) {
    if (isNotYet(error)) return 'gone'
    throw error
  }
}

interface Holder {
  role: Role
  pid: number
}

/** @returns undefined when the lock is now ours, otherwise its holder. */
async function takeLock(client: pg.Client): Promise<Holder | undefined> {
  const taken = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', lockKey)
  if (taken.rows[0]?.locked) return undefined
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and granted and classid = $1 and objid = $2`,
    lockKey,
  )
  const [, role, pid] = rows[0]?.name.split(' ') ?? []
  return { role: role === 'owner' ? 'owner' : 'guest', pid: Number(pid ?? 0) }
}

/** A guest holds the lock briefly and is worth waiting for; an owner is not, unless it has just died. */
function refuseSecondOwner({ home }: Server, role: Role, holder: Holder, waitedMs: number): void {
  const patienceMs = holder.role === 'guest' || role === 'guest' ? startMs : isAlive(holder.pid) ? 0 : vanishMs
  if (waitedMs < patienceMs) return
  throw new EmbeddedError(
    `The embedded PostgreSQL in ${home.directory} is already in use by process ${holder.pid}: stop that one first, or set WATCHWORD_DATA_DIR to another directory.`,
  )
}

async function findDatabase(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
  return rowCount === 1
}

async function createDatabase(client: pg.Client): Promise<void> {
  if (!(await findDatabase(client))) await client.query(`create database ${databaseName}`)
}

async function connectOrStart(
  server: Server,
  role: Role,
  deadline: number,
  signal: AbortSignal,
): Promise<{ client: pg.Client; origin: Claim['origin'] }> {
  const { home, log, binaries } = server
  let launch: Launch | undefined
  let origin: Claim['origin'] = 'found'
  try {
    for (;;) {
      const client = await tryConnect(server, readPostmaster(home), role)
      if (client) return { client, origin }
      // Process clock: limits the wait for a database that has not started yet.
      if (Date.now() > deadline) throw tooSlowError(home, startMs / 1000)
      if (launch?.verdict !== undefined) {
        judgeLaunch(launch, home)
        launch = undefined
      } else if (!launch && !findServerPid(home)) {
        if (origin === 'found') log(`Starting the embedded PostgreSQL ${binaries.major} in ${home.directory}`)
        origin = 'started'
        launch = await launchServer(server)
      }
      await delay(10, undefined, { signal })
    }
  } catch (error) {
    // A server that cannot be used must not be left running; one that is still recovering may finish.
    if (origin === 'started' && !(error instanceof EmbeddedError)) await stopServer(server)
    throw error
  }
}

/**
 * Tries even if the server's process is not visible: it may run in another container. Returns undefined while it does
 * not answer.
 */
async function tryConnect(server: Server, at: Postmaster | undefined, role: Role): Promise<pg.Client | undefined> {
  if (!at?.isReady) return undefined
  if (at.host.startsWith('/') && !isTrustedSocketDirectory(at.host, server.home)) return undefined
  // Own connection: the owner of the embedded database holds its lock on it. It has deadlines of its own.
  const client = new pg.Client({
    host: at.host,
    port: at.port,
    user: databaseName,
    password: readPassword(server.home),
    database: 'postgres',
    application_name: `watchword ${role} ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: startMs,
    ...keptAlive,
  })
  // Loss of the session is handled on 'end'; an 'error' without a listener would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    if (isNotYet(error)) return undefined
    throw error
  }
}

function isNotYet(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  // 57P01–57P03: shutting down, recovering from a crash, starting.
  if (/^(ENOENT|ECONNREFUSED|ECONNRESET|EPIPE|57P0[123])$/.test(code)) return true
  // Not queryable: it has ended between two statements.
  return error instanceof Error && /terminated unexpectedly|not queryable|timeout/i.test(error.message)
}
