import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './embedded-binaries.ts'
import { diskFullError, EmbeddedError, isDiskFull } from './embedded-error.ts'
import { type Home, makeSocketDirectory } from './embedded-home.ts'
import { isAlive, isPostmaster, runProgram, serverEnvironment, spawnIdentity } from './embedded-process.ts'

/** What is needed to start, reach and stop the server of one home. */
export interface Server {
  home: Home
  binaries: Binaries
  log: (line: string) => void
}

/** What a running server reports in its postmaster.pid. */
export interface Postmaster {
  pid: number
  /** A socket directory, or an IP address on Windows. */
  host: string
  port: number
  isReady: boolean
}

/** A server that is being started. It has a verdict once the program has ended. */
export interface Launch {
  /** The offset in the log file where the lines of this start begin. */
  logOffset: number
  verdict?: string
}

const isWindows = process.platform === 'win32'
const largestLogBytes = 4 * 1024 * 1024
const shutdownMs = 60_000

/** Reads postmaster.pid, which may be stale. Returns undefined while it is missing or incomplete. */
export function readPostmaster(home: Home): Postmaster | undefined {
  const lines = readFileIfAny(pidFile(home)).split('\n')
  const [pid, port] = [Number(lines[0]), Number(lines[3])]
  if (!pid || !port) return undefined
  const host = isWindows ? (lines[5] ?? '') : (lines[4] ?? '')
  return { pid, host, port, isReady: lines[7]?.startsWith('ready') === true }
}

function pidFile(home: Home): string {
  return join(home.cluster, 'postmaster.pid')
}

function readFileIfAny(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function readPid(file: string): number | undefined {
  const pid = Number.parseInt(readFileIfAny(file), 10)
  return pid > 0 ? pid : undefined
}

/** The process id of this home's server, ready or not, or undefined when none runs. */
export function findServerPid(home: Home): number | undefined {
  const pid = readPid(pidFile(home))
  return pid && isPostmaster(pid, home.cluster) ? pid : undefined
}

/** Starts the server without waiting for it. It outlives us and does not receive Ctrl-C from our terminal. */
export async function launchServer({ home, binaries }: Server): Promise<Launch> {
  dropForeignLock(home, pidFile(home))
  const launch: Launch = { logOffset: 0 }
  const child = isWindows ? await spawnOnWindows(home, binaries) : spawnDetached(home, binaries, launch)
  child.on('error', (error) => {
    launch.verdict = error.message
  })
  child.on('exit', (code, signal) => {
    if (!isWindows || code !== 0) launch.verdict = `ended with ${signal ?? code}`
  })
  child.unref()
  return launch
}

/**
 * PostgreSQL removes a dead server's lock files itself, but mistakes any process with that id, even an unreaped zombie,
 * for the server and refuses to start. A container restart reuses the same few ids.
 */
function dropForeignLock(home: Home, file: string): void {
  const pid = readPid(file)
  if (pid && isAlive(pid) && !isPostmaster(pid, home.cluster)) rmSync(file, { force: true })
}

function spawnDetached(home: Home, binaries: Binaries, launch: Launch): ChildProcess {
  const socketDirectory = makeSocketDirectory(home)
  dropForeignLock(home, join(socketDirectory, '.s.PGSQL.5432.lock'))
  const log = openLog(home)
  launch.logOffset = fstatSync(log).size
  const settings = ['listen_addresses=', 'port=5432', 'unix_socket_permissions=0700', 'logging_collector=off']
    .concat(`unix_socket_directories="${socketDirectory.replaceAll('"', '""')}"`)
    .flatMap((setting) => ['-c', setting])
  try {
    return spawn(join(binaries.directory, 'bin', 'postgres'), ['-D', home.cluster, ...settings], {
      cwd: binaries.directory,
      detached: true,
      stdio: ['ignore', log, log],
      ...serverEnvironment,
      ...spawnIdentity(home.user),
    })
  } finally {
    closeSync(log)
  }
}

/** Opens the log for appending, and rotates a large one. Links are not followed, since we may be root. */
function openLog(home: Home): number {
  const size = statSync(home.logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > largestLogBytes) renameSync(home.logFile, `${home.logFile}.1`)
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const log = openSync(home.logFile, flags, 0o600)
  if (home.user) fchownSync(log, home.user.uid, home.user.gid)
  return log
}

/** pg_ctl drops administrator rights, with which PostgreSQL refuses to run. */
async function spawnOnWindows(home: Home, binaries: Binaries): Promise<ChildProcess> {
  const address = `-c listen_addresses=127.0.0.1 -p ${await findFreePort()}`
  const args = ['start', '-W', '-D', home.cluster, '-l', home.logFile, '-o', address]
  return spawn(join(binaries.directory, 'bin', 'pg_ctl'), args, { detached: true, stdio: 'ignore', windowsHide: true })
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}

/** Throws EmbeddedError for a start that failed permanently; returns if a retry may succeed. */
export function judgeLaunch(launch: Launch, home: Home): void {
  const said = readLog(home, launch.logOffset)
  if (isDiskFull(said, home.directory)) throw diskFullError(home.directory)
  // A concurrent start was faster, backends of a killed server are still exiting, or the port was taken meanwhile.
  if (/is still in use|already exists|could not bind/.test(said)) return
  throw new EmbeddedError(
    `The embedded PostgreSQL in ${home.directory} did not start (${launch.verdict}); ${home.logFile} ends with: ${lastLines(said)}`,
  )
}

/** The error for a server that exists but does not become ready. */
export function tooSlowError(home: Home, seconds: number): EmbeddedError {
  return new EmbeddedError(
    `The embedded PostgreSQL in ${home.directory} did not answer within ${seconds} s: if it is still recovering, start again later; ${home.logFile} ends with: ${lastLines(readLog(home, 0))}`,
  )
}

function readLog(home: Home, offset: number): string {
  try {
    return readFileSync(home.logFile).subarray(offset).toString('utf8')
  } catch {
    return ''
  }
}

function lastLines(text: string): string {
  const lines = text.trim().split(/\s*\n\s*/)
  return lines.slice(-3).join(' | ') || '(nothing)'
}

/** Stops the server: no new work, open transactions rolled back, everything on disk. Waits until it has exited. */
export async function stopServer({ home, binaries, log }: Server): Promise<void> {
  const pid = findServerPid(home)
  if (!pid) return
  await signalServer(pid, home, binaries, 'SIGINT')
  // Process clock: limits the wait for a database that is stopping.
  const deadline = Date.now() + shutdownMs
  while (isPostmaster(pid, home.cluster)) {
    if (Date.now() > deadline) {
      log(
        `The embedded PostgreSQL did not stop within ${shutdownMs / 1000} s: killing it, it recovers at its next start`,
      )
      return signalServer(pid, home, binaries, 'SIGQUIT')
    }
    await delay(10)
  }
}

async function signalServer(pid: number, home: Home, binaries: Binaries, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (!isWindows) {
    if (isAlive(pid)) process.kill(pid, signal)
    return
  }
  const args = ['stop', '-W', '-D', home.cluster, '-m', signal === 'SIGINT' ? 'fast' : 'immediate']
  await runProgram(join(binaries.directory, 'bin', 'pg_ctl'), args, { user: undefined, cwd: home.directory })
}
