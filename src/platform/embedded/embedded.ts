import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { endClient } from '../db/client.ts'
import { locateBinaries, reachBinaries } from './embedded-binaries.ts'
import { type Claim, claimServer, type Role } from './embedded-claim.ts'
import { databaseName, prepareCluster, readPassword } from './embedded-cluster.ts'
import { EmbeddedError, explainFailure } from './embedded-error.ts'
import { findElsewhere, type Home, homeAt, openHome, sharedDirectory } from './embedded-home.ts'
import { findServerPid, readPostmaster, type Server, stopServer } from './embedded-server.ts'

export { EmbeddedError } from './embedded-error.ts'

export interface EmbeddedDatabase {
  /** Connection string for `pg`, with the password. */
  url: string
  /** Whether this call started or adopted the server and owns it. */
  owned: boolean
  /** Stops the server if it is ours and waits until it has exited. Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts (or adopts after a crash) the PostgreSQL in `dataDir` and owns it until stop(). The owner is the service, one
 * per data directory. A guest, such as the CLI, uses a running owner's server, or is the owner while it runs.
 * While owned, a server that dies is restarted. Throws EmbeddedError: one line that says what to do.
 */
export async function startEmbedded(options: {
  dataDir: string
  log: (line: string) => void
  role?: Role
}): Promise<EmbeddedDatabase> {
  const { dataDir, log, role = 'owner' } = options
  try {
    const home = openHome(dataDir, sharedDirectory)
    const reach = await reachBinaries(locateBinaries(), home.user, sharedDirectory)
    const server: Server = { home, binaries: reach.binaries, log }
    logDetour(server, dataDir, reach.closed)
    await prepareCluster(home, reach.binaries, log)
    const claim = await claimServer(server, role, new AbortController().signal)
    const url = buildUrl(home)
    if (!claim.session) return { url, owned: false, stop: async () => {} }
    if (claim.origin === 'found') log(`Adopted the running embedded PostgreSQL in ${home.directory}, left by a crash`)
    return { url, owned: true, stop: keepServer(server, role, claim.session) }
  } catch (error) {
    throw explainFailure(error, dataDir)
  }
}

/** The directories that hold what belongs to the database of `dataDir`; they need not exist. */
export function homeDirectories(dataDir: string): string[] {
  const elsewhere = findElsewhere(dataDir, sharedDirectory)
  return elsewhere ? [elsewhere, dataDir] : [dataDir]
}

/** Whether a PostgreSQL runs on one of them. */
export function isInUse(directory: string): boolean {
  return findServerPid(homeAt(directory, undefined)) !== undefined
}

function logDetour({ home, binaries, log }: Server, dataDir: string, closedBinaries: string | undefined): void {
  const detours = [
    ...(home.closed ? [`cannot enter ${home.closed}, so the data of ${dataDir} is in ${home.directory}`] : []),
    ...(closedBinaries
      ? [`cannot enter ${closedBinaries}, so a copy of the program runs from ${binaries.directory}`]
      : []),
  ]
  if (detours.length > 0) {
    log(`PostgreSQL must not run as root: it runs as user ${home.user?.name}, who ${detours.join(', and ')}`)
  }
}

/** For a socket, the host name only satisfies URL parsers; the parameter `host` is what counts. */
function buildUrl(home: Home): string {
  const at = readPostmaster(home)
  if (!at)
    throw new EmbeddedError(`The embedded PostgreSQL in ${home.directory} stopped while it started: start again.`)
  const password = encodeURIComponent(readPassword(home))
  if (!at.host.startsWith('/')) return `postgresql://${databaseName}:${password}@${at.host}:${at.port}/${databaseName}`
  const host = encodeURIComponent(at.host)
  return `postgresql://${databaseName}:${password}@localhost:${at.port}/${databaseName}?host=${host}`
}

/** Keeps the server running, restarting it when it dies, until the returned function is called. */
function keepServer(server: Server, role: Role, first: pg.Client): () => Promise<void> {
  const ending = new AbortController()
  let session: pg.Client | undefined
  let recovery = Promise.resolve()
  let stopped: Promise<void> | undefined
  const hold = (held: pg.Client): void => {
    session = held
    held.once('end', () => {
      session = undefined
      if (!ending.signal.aborted)
        recovery = regainServer(server, role, ending.signal).then((again) => again && hold(again))
    })
  }
  const end = async (): Promise<void> => {
    ending.abort()
    await recovery
    if (!session) return
    // The lock is held until the server has exited, so that no process adopts a server that is stopping.
    await stopServer(server)
    if (session) await endClient(session)
  }
  hold(first)
  return () => {
    stopped ??= end()
    return stopped
  }
}

/** Our session ended unexpectedly: the server died, or was restarted. Returns undefined when told to stop. */
async function regainServer(server: Server, role: Role, signal: AbortSignal): Promise<pg.Client | undefined> {
  const { home, log } = server
  log(`The embedded PostgreSQL in ${home.directory} stopped unexpectedly: restarting it`)
  let lastReason = ''
  while (!signal.aborted) {
    const claim = await claimServer(server, role, signal).catch((error: unknown): Claim | undefined => {
      const reason = explainFailure(error, home.directory).message
      if (reason !== lastReason && !signal.aborted) log(reason)
      lastReason = reason
      return undefined
    })
    if (claim?.session) {
      log(`The embedded PostgreSQL in ${home.directory} is running again`)
      return claim.session
    }
    await delay(1_000, undefined, { signal }).catch(() => {})
  }
  return undefined
}
