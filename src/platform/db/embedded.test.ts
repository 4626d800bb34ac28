import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts'

const stops: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** A directory others may enter, with a data directory to be; the server in it is killed afterwards if it still runs. */
function makeDataDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ww-embedded-'))
  chmodSync(directory, 0o755)
  stops.push(async () => {
    const pid = readServerPid(join(directory, 'data'))
    if (pid && isServer(pid)) process.kill(pid, 'SIGKILL')
    await eventually(() => !pid || !isServer(pid))
    rmSync(directory, { recursive: true, force: true })
  })
  return join(directory, 'data')
}

async function start(dataDir: string, role: 'owner' | 'guest' = 'owner') {
  const lines: string[] = []
  const database = await startEmbedded({ dataDir, role, log: (line) => lines.push(line) })
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
  const deadline = Date.now() + 10_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it did not become true within 10 s')
    await delay(10)
  }
}

const script = `
  import { startEmbedded } from ${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)}
  const [dataDir, role] = process.argv.slice(1)
  process.once('message', () => {})
  try {
    const { url, owned, stop } = await startEmbedded({ dataDir, role, log: () => {} })
    process.once('message', async () => { await stop(); process.exit() })
    process.send(JSON.stringify({ url, owned }))
  } catch (error) {
    process.send(JSON.stringify({ error: error.message }), () => process.exit())
  }`

interface Peer {
  child: ChildProcess
  url: string
  owned: boolean
  error?: string
}

/** startEmbedded in a process of its own. */
async function startPeer(dataDir: string, options: { role?: string; uid?: number } = {}): Promise<Peer> {
  const { role = 'owner', ...identity } = options
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir, role], {
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
    const dataDir = makeDataDir()
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
    await query(database, 'create table kept as select 42 as answer')
    await database.stop()
    await database.stop()
    expect(isServer(pid)).toBe(false)
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])

    const again = await start(dataDir)
    expect(again.lines).toEqual([`Starting the embedded PostgreSQL 18 in ${dataDir}`])
    expect(await query(again, 'select answer from kept')).toEqual([[42]])
  })

  test('asks every local connection for the password', async () => {
    const database = await start(makeDataDir())
    const url = database.url.replace(/:[^:@]+@/, ':wrong@')
    await expect(query({ url }, 'select 1')).rejects.toThrow('password authentication failed')
  })

  test('keeps the socket in the temporary directory when its path would be too long', async () => {
    const dataDir = join(makeDataDir(), 'long'.repeat(25))
    const database = await start(dataDir)
    expect(decodeURIComponent(database.url)).toContain(`host=${tmpdir()}/watchword-`)
    stops.push(() => rmSync(new URL(database.url).searchParams.get('host') ?? '', { recursive: true }))
    expect(await query(database, 'select 1')).toEqual([[1]])
    await database.stop()
  })
})

describe('one owner', () => {
  test('refuses a second one, in this process or another', async () => {
    const dataDir = makeDataDir()
    const first = await start(dataDir)
    const refusal = `The embedded PostgreSQL in ${dataDir} is already in use by process ${process.pid}: stop that one first, or set WATCHWORD_DATA_DIR to another directory.`
    expect(await failStart(dataDir)).toBe(refusal)
    expect((await startPeer(dataDir)).error).toBe(refusal)
    expect(await query(first, 'select 1')).toEqual([[1]])
  })

  test('comes out of starts at the same moment on a fresh directory', async () => {
    const dataDir = makeDataDir()
    const peers = await Promise.all([1, 2, 3].map(() => startPeer(dataDir)))
    const owners = peers.filter((peer) => peer.owned)
    expect(owners).toHaveLength(1)
    const refused = peers.filter((peer) => peer.error?.includes(`in use by process ${owners[0]?.child.pid}:`))
    expect(refused).toHaveLength(2)
    expect(await query({ url: owners[0]?.url ?? '' }, 'select 1')).toEqual([[1]])
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])
  })

  test('lets a guest use its server and keeps it when the guest leaves', async () => {
    const dataDir = makeDataDir()
    const owner = await start(dataDir)
    const guest = await start(dataDir, 'guest')
    expect([guest.owned, guest.url, guest.lines]).toEqual([false, owner.url, []])
    await guest.stop()
    expect(await query(owner, 'select 1')).toEqual([[1]])
  })

  test('is the guest when nobody else is; a service that comes meanwhile waits for it', async () => {
    const dataDir = makeDataDir()
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
    const dataDir = makeDataDir()
    const peer = await startPeer(dataDir)
    await query(peer, 'create table kept as select 42 as answer')
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
    const dataDir = makeDataDir()
    const peer = await startPeer(dataDir)
    await killPeer(peer, 'SIGINT')
    expect(await query(peer, 'select 1')).toEqual([[1]])
  })

  test('recovers when everything was killed, even if the process id was dealt anew', async () => {
    const dataDir = makeDataDir()
    const peer = await startPeer(dataDir)
    await query(peer, 'create table kept as select 42 as answer')
    const pid = readServerPid(dataDir) ?? 0
    await killPeer(peer, 'SIGKILL')
    process.kill(pid, 'SIGKILL')
    await eventually(() => !isServer(pid))
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
    const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
    stops.push(() => void stranger.kill('SIGKILL'))
    writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(String(pid), String(stranger.pid)))
    const database = await start(dataDir)
    expect(await query(database, 'select answer from kept')).toEqual([[42]])
    expect(stranger.exitCode).toBeNull()
  })

  test('brings back a server that dies under its owner, and still owns it', async () => {
    const dataDir = makeDataDir()
    const database = await start(dataDir)
    const pid = readServerPid(dataDir) ?? 0
    process.kill(pid, 'SIGKILL')
    await eventually(() => database.lines.at(-1) === `The embedded PostgreSQL in ${dataDir} is back`)
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
    expect(database.lines[0]).toContain('held no whole PostgreSQL data')
    const aside = expect.stringMatching(/^postgres\.broken-\d+$/)
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', aside, 'postgres.log', 'socket'])
  })
})
