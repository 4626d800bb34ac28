import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { EmbeddedError, lastLines } from './embedded-error.ts'
import { type Home, readPlainFile, spawnOptions } from './home.ts'

/** What starts a server: the service, or a command that runs without the service. */
export type Role = 'service' | 'command'

/** The data needed to start the server of one home. */
export interface Server {
  home: Home
  binaries: Binaries
  role: Role
  log: (line: string) => void
}

/** A PostgreSQL that runs on a cluster. */
export interface Found {
  pid: number
  /** Null if we did not start the server, or if its process is not visible because it runs in another container. */
  owner: { pid: number; role: string } | null
  /** Whether the owner no longer runs. */
  isOrphan: boolean
}

const shutdownMs = 60_000
const slowStartMs = 30_000
const largestLogBytes = 4 * 1024 * 1024
const socketName = '.s.PGSQL.5432'
/** `sun_path` allows 104 bytes on macOS and 108 on Linux, including the final zero. */
const longestSocketPath = 100
/** A setting on the command line of each server that we start. It names what started the server and the process. */
const MARKER = /watchword\.owner=(service|command)-(\d+)/

/** Reads postmaster.pid, which may be stale. */
export function readLock({ cluster }: Home) {
  const [pid, , , port, socketDirectory = '', , , status] = readIfThere(join(cluster, 'postmaster.pid')).split('\n')
  const socket = join(socketDirectory, `.s.PGSQL.${port}`)
  return { pid: Number(pid), socketDirectory, socket, isReady: status?.startsWith('ready') === true }
}

function readIfThere(file: string): string {
  try {
    return readPlainFile(file)?.bytes.toString('utf8') ?? ''
  } catch {
    return ''
  }
}

/**
 * Finds the server that runs on the cluster of `home`. The owner is the server's parent process. When the owner ends,
 * the system assigns another parent at once, so a later process with the same id is not taken for the owner.
 */
export async function findServer(home: Home): Promise<Found | null> {
  const { pid, socket } = readLock(home)
  const found = readProcess(pid)
  if (!found || !mayServe(found, home)) {
    // Another container may share the data. The lock file then has that container's process id and path.
    const isInUse = (await answers(socket)) || (await answers(join(home.directory, 'socket', socketName)))
    return isInUse ? { pid, owner: null, isOrphan: false } : null
  }
  const [, role, ownerPid] = MARKER.exec(found.command) ?? []
  if (!role) return { pid, owner: null, isOrphan: false }
  const owner = { pid: Number(ownerPid), role }
  return { pid, owner, isOrphan: owner.pid !== found.parent }
}

interface Process {
  command: string
  parent: number
  isPostgres: boolean
}

/** Reads the process `pid`. A process without a command is a zombie. */
function readProcess(pid: number): Process | null {
  if (!pid) return null
  if (process.platform === 'linux') {
    const [, parent] = /^PPid:\s*(\d+)/m.exec(readIfThere(`/proc/${pid}/status`)) ?? []
    const command = readIfThere(`/proc/${pid}/cmdline`)
    const isPostgres = /(^|\/)postgres(:|$)/.test(command.split('\0')[0] ?? '')
    return parent === undefined ? null : { command, parent: Number(parent), isPostgres }
  }
  const { stdout } = spawnSync('/bin/ps', ['-ww', '-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' })
  const isPostgres = stdout.includes('postgres')
  return stdout === '' ? null : { command: stdout, parent: Number.parseInt(stdout, 10), isPostgres }
}

/**
 * Whether the process may be the server of `cluster`. The command line of each server that we start names its cluster.
 */
function mayServe({ command, isPostgres }: Process, { cluster }: Home): boolean {
  return isPostgres && (!MARKER.test(command) || command.includes(cluster))
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath).on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

/**
 * Starts a server and waits until it accepts connections, however long its recovery takes. Returns null if another
 * process started it first, or if processes of a killed server have not ended yet. Throws EmbeddedError if it does not
 * start.
 */
export async function launchServer(server: Server): Promise<ChildProcess | null> {
  const { home, log } = server
  const { child, logOffset } = spawnServer(server)
  let verdict = ''
  child.once('error', (error) => {
    verdict = error.message
  })
  child.once('exit', (code, signal) => {
    verdict = `ended with ${signal ?? code}`
  })
  const slow = setTimeout(() => log(`PostgreSQL is still starting: see ${home.logFile}`), slowStartMs)
  while (!verdict) {
    const { pid, socket } = readLock(home)
    // A stale file may name the same process id, but no server responds before the file is replaced.
    if (pid === child.pid && (await answers(socket)) && readLock(home).isReady) break
    await delay(10)
  }
  clearTimeout(slow)
  if (!verdict) return child
  const said = readPlainFile(home.logFile)?.bytes.subarray(logOffset).toString('utf8') ?? ''
  if (/is still in use|already exists/.test(said)) return null
  throw new EmbeddedError(
    `The embedded PostgreSQL in ${home.directory} did not start (${verdict}); ${home.logFile} ends with: ${lastLines(said)}`,
  )
}

function spawnServer({ home, binaries, role }: Server): { child: ChildProcess; logOffset: number } {
  const socketDirectory = makeSocketDirectory(home)
  for (const file of [join(home.cluster, 'postmaster.pid'), join(socketDirectory, `${socketName}.lock`)])
    removeStaleLock(file, home)
  const log = openLog(home)
  const logOffset = fstatSync(log).size
  const settings = ['listen_addresses=', 'port=5432', 'unix_socket_permissions=0700', 'logging_collector=off']
    .concat(
      `unix_socket_directories="${socketDirectory.replaceAll('"', '""')}"`,
      `watchword.owner=${role}-${process.pid}`,
    )
    .flatMap((setting) => ['-c', setting])
  const child = spawn(join(binaries.directory, 'bin', 'postgres'), ['-D', home.cluster, ...settings], {
    ...spawnOptions(home.user, binaries.directory),
    // Ctrl-C must not reach the server, so that running requests are completed first.
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  closeSync(log)
  return { child, logOffset }
}

/** Creates the socket's directory: in the home, or in the temporary directory if the path would be too long. */
function makeSocketDirectory(home: Home): string {
  const { directory, user } = home
  const inside = join(directory, 'socket')
  const isShort = Buffer.byteLength(join(inside, socketName)) <= longestSocketPath
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  const path = isShort ? inside : join(tmpdir(), `watchword-${hash}`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (user && lstatSync(path).uid === 0) lchownSync(path, user.uid, user.gid)
  checkSocketDirectory(path, home)
  return path
}

/**
 * Returns the directory of the running server's socket. Throws EmbeddedError if the socket may belong to another user.
 */
export function getSocketDirectory(home: Home): string {
  const { socketDirectory } = readLock(home)
  // Another container has written its own path.
  const path = existsSync(socketDirectory) ? socketDirectory : join(home.directory, 'socket')
  checkSocketDirectory(path, home)
  return path
}

/** The server behind another user's socket could ask for the password in clear text. */
function checkSocketDirectory(path: string, { user }: Home): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  const owner = user?.uid ?? process.getuid?.()
  if (stats?.isDirectory() && stats.uid === owner && (stats.mode & 0o077) === 0) return
  throw new EmbeddedError(
    `${path}, the directory for PostgreSQL's socket, belongs to another user or is open to others: remove it and start again.`,
  )
}

/**
 * PostgreSQL treats any process with the id in a lock file as a running server. After a restart of a container,
 * another program often has that id.
 */
function removeStaleLock(file: string, home: Home): void {
  const found = readProcess(Number.parseInt(readIfThere(file), 10))
  if (found && !mayServe(found, home)) rmSync(file, { force: true })
}

/**
 * Opens the log for appending, and moves a large one aside. This process may be root, so a link to another user's file
 * is moved aside too. Throws EmbeddedError if such a link is created meanwhile.
 */
function openLog({ logFile, user }: Home): number {
  const isForeign = ({ uid, size }: Stats) => user !== undefined && uid !== user.uid && size > 0
  const found = lstatSync(logFile, { throwIfNoEntry: false })
  if (found && (found.size > largestLogBytes || isForeign(found))) renameSync(logFile, `${logFile}.1`)
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const log = openSync(logFile, flags, 0o600)
  if (isForeign(fstatSync(log))) {
    closeSync(log)
    throw new EmbeddedError(`${logFile} belongs to another user: remove it and start again.`)
  }
  if (user) fchownSync(log, user.uid, user.gid)
  return log
}

/**
 * Stops a server that we started and waits for its end. Running transactions are rolled back. Everything else is on
 * disk.
 */
export async function stopServer(pid: number, log: (line: string) => void): Promise<void> {
  const isOurs = () => MARKER.test(readProcess(pid)?.command ?? '')
  if (isOurs()) process.kill(pid, 'SIGINT')
  // Process clock: limits the wait for a database that is stopping.
  const deadline = Date.now() + shutdownMs
  while (isOurs()) {
    if (Date.now() > deadline) {
      log(`PostgreSQL did not stop within ${shutdownMs / 1000} s: killing it, it recovers at its next start`)
      return void process.kill(pid, 'SIGQUIT')
    }
    await delay(10)
  }
}
