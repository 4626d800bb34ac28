import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { locateBinaries, reachBinaries } from '../../src/platform/embedded/binaries.ts'
import { databaseName, prepareCluster, readPassword } from '../../src/platform/embedded/cluster.ts'
import { openHome, spawnOptions } from '../../src/platform/embedded/home.ts'
import { until } from '../harness.ts'
import { signalServer } from '../peers/server-processes.ts'
import { afterThisTest, makeDirectory, takePort } from '../process/service.ts'

const execute = promisify(execFile)

/** A PostgreSQL server of its own, which the scenario stops and starts. */
export interface Cluster {
  /** Its address, with the superuser's password. */
  url: string
  dataDir: string
  start(): Promise<void>
  /** Stops it: in order (SIGINT), at once (SIGQUIT), or with every process killed (SIGKILL). Waits for the end. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** Sends a signal to every process of the server. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  isRunning(): boolean
  /** Runs statements on a connection of their own, outside of any transaction. */
  query(...statements: string[]): Promise<Record<string, unknown>[]>
}

export interface ClusterOptions {
  /** The stopped cluster whose data it starts with. */
  copyOf?: Cluster
  /** Settings of the command line, such as `max_wal_size=64MB`. */
  settings?: string[]
  /** The server that this one follows as a standby. */
  primary?: Cluster
  /** The directory of its data, which is there. */
  directory?: string
}

/** Prepares the data of a server that npm brought. Does not start it. */
export async function makeCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { copyOf, primary, settings = [], directory = makeDirectory() } = options
  const dataDir = join(directory, 'data')
  if (copyOf) await execute('cp', ['-a', copyOf.dataDir, dataDir])
  const log = () => undefined
  const home = openHome(dataDir, log)
  const binaries = await reachBinaries(locateBinaries(), home, log)
  await prepareCluster(home, binaries, log)
  const port = await takePort()
  const url = `postgres://${databaseName}:${readPassword(home)}@127.0.0.1:${port}/postgres`
  if (primary) follow(home.cluster, primary.url)
  const arguments_ = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', ...settings]
  const launch = () => {
    const args = ['-D', home.cluster, ...arguments_.flatMap((setting) => ['-c', setting])]
    // Detached: Ctrl-C ends it after the service, and not both at once.
    return spawn(join(binaries.directory, 'bin', 'postgres'), args, {
      ...spawnOptions(home.user, binaries.directory),
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }
  return control({ url, dataDir, launch })
}

function control({ url, dataDir, launch }: { url: string; dataDir: string; launch(): ChildProcess }): Cluster {
  let server: ChildProcess | null = null
  const running = () => (server !== null && server.exitCode === null && server.signalCode === null ? server : null)
  let said = ''
  const listen = (child: ChildProcess) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000)
    })
    return child
  }
  const query = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    try {
      let rows: Record<string, unknown>[] = []
      for (const statement of statements) rows = (await client.query(statement)).rows
      return rows
    } finally {
      await client.end()
    }
  }
  const signalAll = (signal: NodeJS.Signals) => {
    const pid = running()?.pid
    if (pid !== undefined) signalServer(pid, signal)
  }
  const stop = async (signal: NodeJS.Signals) => {
    const child = running()
    if (!child) return
    const gone = once(child, 'exit')
    if (signal === 'SIGKILL') signalAll(signal)
    else child.kill(signal)
    await gone
  }
  afterThisTest(() => stop('SIGKILL'))
  return {
    url,
    dataDir,
    query,
    stop,
    signal: signalAll,
    isRunning: () => running() !== null,
    async start() {
      // After SIGKILL it refuses to start until the last of its processes has ended.
      await until(async () => {
        server = running() ?? listen(launch())
        return query('select 1').then(
          () => true,
          () => false,
        )
      }, 60_000).catch((cause) => {
        throw new Error(`PostgreSQL did not start: ${said}`, { cause })
      })
    },
  }
}

/** Makes data that was copied from a stopped primary those of a standby (streaming replication). */
function follow(cluster: string, primaryUrl: string): void {
  writeFileSync(join(cluster, 'standby.signal'), '')
  writeFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${primaryUrl}'\n`)
}
