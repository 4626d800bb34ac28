import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, expect } from 'vitest'
import { type EmbeddedDatabase, startEmbedded } from '../src/platform/embedded/embedded.ts'
import { databasesPlace } from './databases-place.ts'
import { type Peer, spawnPeer } from './peers/embedded-peer.ts'

/** A data directory to be, in a directory that others may enter. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(databasesPlace(), 'ww-embedded-'))
  chmodSync(directory, 0o755)
  return join(directory, 'data')
}

/** Data directories, servers and peers for the tests of a file, which leave none of them behind. */
export function openEmbedded() {
  const stops: (() => Promise<void> | void)[] = []
  const ends: (() => void)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })
  afterAll(() => {
    for (const end of ends.splice(0)) end()
  })

  /** Kills what a failed test, or one that did not stop its server, leaves running. */
  function killAfterTest(dataDir: string): void {
    stops.push(async () => {
      const pid = readServerPid(dataDir) ?? 0
      if (isServer(pid)) process.kill(pid, 'SIGKILL')
      await eventually(() => !isServer(pid))
    })
  }

  /** A data directory for one test. */
  function makeDataDir(): string {
    const dataDir = makeDirectory()
    stops.push(() => rmSync(join(dataDir, '..'), { recursive: true }))
    killAfterTest(dataDir)
    return dataDir
  }

  let shared: string | undefined

  /** Set up once, by whichever test is first; each test leaves it stopped. */
  function useSharedDataDir(): string {
    if (shared === undefined) {
      const directory = makeDirectory()
      ends.push(() => rmSync(join(directory, '..'), { recursive: true }))
      shared = directory
    }
    killAfterTest(shared)
    return shared
  }

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

  /** startEmbedded in a process of its own. */
  async function startPeer(dataDir: string, options: { role?: string; uid?: number } = {}): Promise<Peer> {
    const child = spawnPeer(dataDir, options, (end) => ends.push(end))
    stops.push(() => void child.kill('SIGKILL'))
    const [message] = await once(child, 'message')
    return { child, ...JSON.parse(String(message)) }
  }

  return { stops, killAfterTest, makeDataDir, useSharedDataDir, start, failStart, startPeer }
}

/** Told to root where the project lies behind a closed directory; what is tested here is the same there. */
const COPY_NOTICE = /(: it runs as user .+, who |, and )cannot enter \S+, so a copy of the program runs from \S+$/

export function diskFull(dataDir: string): string {
  return `The disk that holds ${dataDir} is full: free some space and start again.`
}

export async function query(database: Pick<EmbeddedDatabase, 'url'>, sql: string): Promise<unknown[]> {
  const pool = new pg.Pool({ connectionString: database.url })
  pool.on('error', () => {})
  try {
    return (await pool.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await pool.end()
  }
}

export function readServerPid(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
}

/** A zombie waiting for its parent counts as gone. */
export function isServer(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')
  } catch {
    return false
  }
}

export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it did not become true within 30 s')
    await delay(10)
  }
}
