import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, expect } from 'vitest'
import { type EmbeddedDatabase, startEmbedded } from '../src/platform/embedded/embedded.ts'
import { databasesPlace } from './databases-place.ts'
import { copyProject, type Peer, type Project, project, spawnPeer } from './peers/embedded-peer.ts'

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

  async function start(dataDir: string, role: 'service' | 'command' = 'service') {
    const lines: string[] = []
    const log = (line: string) => {
      // Root reads it where the project lies in a closed directory.
      if (!line.includes(': a copy runs from ')) lines.push(line)
    }
    const database = await startEmbedded({ dataDir, role, log })
    stops.push(() => database.stop())
    return { ...database, lines }
  }

  async function failStart(dataDir: string, role: 'service' | 'command' = 'service'): Promise<string> {
    const error = await start(dataDir, role).catch((reason: unknown) => reason)
    if (!(error instanceof Error)) throw new Error('the start was not refused')
    expect(error.name).toBe('EmbeddedError')
    expect(error.message).not.toContain('\n')
    return error.message
  }

  let copy: Project | undefined

  /** The copy of the project, which the tests of a file share. */
  function useCopy(): Project {
    if (copy === undefined) {
      const made = copyProject()
      ends.push(() => rmSync(dirname(made.node), { recursive: true }))
      copy = made
    }
    return copy
  }

  /** startEmbedded in a process of its own; with `uid`, from a copy of the project. */
  async function startPeer(
    dataDir: string,
    { role = 'service', uid, from }: { role?: string; uid?: number; from?: Project } = {},
  ): Promise<Peer> {
    const runs = from ?? (uid === undefined ? project : useCopy())
    const child = spawnPeer(runs, dataDir, uid === undefined ? { role } : { role, uid })
    stops.push(() => void child.kill('SIGKILL'))
    const [message] = await once(child, 'message')
    return { child, ...JSON.parse(String(message)) }
  }

  return { stops, killAfterTest, makeDataDir, useSharedDataDir, start, failStart, useCopy, startPeer }
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
