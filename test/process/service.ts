import type { ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, inject, onTestFinished } from 'vitest'
import { administer, copyTemplate, databaseUrl } from '../database.ts'
import { databasesPlace } from '../databases-place.ts'
import { until } from '../harness.ts'
import { type Program, spawnProgram } from '../programs.ts'
import { databasePid } from '../run-directories.ts'

type Step = () => Promise<unknown> | unknown

/** Undoes what a whole file shares, while that is being started. */
let stepsOfFile: Step[] | null = null

/** Runs after the test, the latest first. */
export function afterThisTest(step: Step): void {
  // What is started while everything is being undone.
  if (interruption !== null) void step()
  if (stepsOfFile) stepsOfFile.push(step)
  else onTestFinished(async () => void (await step()))
}

/**
 * Starts something that the tests of a file share and that ends after the last of them. Not to be called within a test.
 */
export async function startedOnce<T>(start: () => Promise<T>): Promise<T> {
  const steps: Step[] = []
  stepsOfFile = steps
  try {
    return await start()
  } finally {
    stepsOfFile = null
    afterAll(async () => {
      for (const step of steps.reverse()) await step()
    })
  }
}

/** Runs something outside of a test, and undoes what it has started, after Ctrl-C too. May be called within itself. */
export async function outsideTests<T>(run: () => Promise<T>): Promise<T> {
  const outer = stepsOfFile
  const steps: Step[] = []
  stepsOfFile = steps
  const undo = async () => {
    for (const step of steps.splice(0).reverse()) await step()
  }
  const interrupted = () => {
    interruption = (interruption ?? Promise.resolve()).then(undo)
    if (outer === null) void interruption.finally(() => process.exit(130))
  }
  // The latest first: an inner call undoes its steps before the outer one.
  for (const signal of SIGNALS) process.prependListener(signal, interrupted)
  // Those who wait with until() keep no process alive.
  const alive = setInterval(() => undefined, 60_000)
  try {
    return await run()
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted)
    // An interruption makes `run` fail: its steps must be done before the process ends.
    await (interruption ?? undo())
    clearInterval(alive)
    stepsOfFile = outer
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
let interruption: Promise<void> | null = null

/** A program of the project, running in a process of its own. */
export interface Running {
  child: ChildProcess
  stdout(): string
  stderr(): string
  /** How it ended: the exit code, or the signal. */
  ended: Promise<number | string>
}

export interface Readiness {
  status: number
  body: { status: string; checks: Record<string, string> }
}

export interface Service extends Running {
  baseUrl: string
  privateUrl: string
  /** Waits until it calls itself ready. */
  ready(): Promise<void>
  readiness(): Promise<Readiness | null>
}

/** Runs a program without our environment variables, in a directory without a .env. */
export function runFile(program: Program, args: string[], env: Record<string, string>, fromSource = false): Running {
  const child = spawnProgram(program, args, {
    cwd: makeDirectory(),
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    fromSource,
  })
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code, signal]): number | string => code ?? signal)
  afterThisTest(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

/** Starts the service on ports of its own. */
export async function startService(env: Record<string, string>, { fromSource = false } = {}): Promise<Service> {
  const [port, metricsPort] = [await takePort(), await takePort()]
  const ports = { PORT: String(port), WATCHWORD_METRICS_PORT: String(metricsPort), LOG_LEVEL: 'warn' }
  const running = runFile('main.js', [], { ...ports, ...env }, fromSource)
  const privateUrl = `http://127.0.0.1:${metricsPort}`
  const readiness = async (): Promise<Readiness | null> => {
    const reply = await fetch(`${privateUrl}/readyz`).catch(() => null)
    if (!reply) return null
    const body: Readiness['body'] = JSON.parse(await reply.text())
    return { status: reply.status, body }
  }
  return {
    ...running,
    baseUrl: `http://127.0.0.1:${port}`,
    privateUrl,
    readiness,
    async ready() {
      await until(async () => {
        if (running.child.exitCode !== null) throw new Error(`It ended: ${running.stderr()}${running.stdout()}`)
        return (await readiness())?.status === 200
      }, 60_000)
    },
  }
}

/** Starts a service that should refuse to start. Returns its exit code and its one line of output. */
export async function refusedStart(env: Record<string, string>): Promise<{ code: number | string; line: string }> {
  const service = await startService(env)
  const code = await service.ended
  const line = service.stderr()
  if (!/^[^\n]+\n$/.test(line)) throw new Error(`Not one line: ${line}`)
  return { code, line: line.trimEnd() }
}

/** Settings as environment variables. */
export interface ProductionSettings extends Record<string, string> {
  DATABASE_URL: string
  WATCHWORD_BOOTSTRAP_API_KEY: string
}

/** Settings of a deployment in production: a database of its own on the server of the tests, and fresh secrets. */
export async function productionSettings(): Promise<ProductionSettings> {
  const name = `watchword_${randomUUID().replaceAll('-', '')}`
  await copyTemplate(inject('serverUrl'), inject('template'), name)
  afterThisTest(() => administer(inject('serverUrl'), `drop database if exists ${name} with (force)`))
  return {
    NODE_ENV: 'production',
    WATCHWORD_BASE_URL: 'https://auth.example.com',
    DATABASE_URL: databaseUrl(inject('serverUrl'), name),
    WATCHWORD_MASTER_KEY: randomBytes(32).toString('base64'),
    WATCHWORD_BOOTSTRAP_API_KEY: randomBytes(32).toString('hex'),
  }
}

/** The path of a future data directory; a database left running in it is killed after the test. */
export function makeDataDir(place = databasesPlace()): string {
  const dataDir = join(makeDirectory(place), 'data')
  afterThisTest(async () => {
    const pid = databasePid(dataDir)
    if (pid === null) return
    process.kill(pid, 'SIGKILL')
    await until(async () => databasePid(dataDir) === null)
  })
  return dataDir
}

export function makeDirectory(place = databasesPlace()): string {
  const directory = mkdtempSync(join(place, 'watchword-process-'))
  // PostgreSQL, which does not run as root, must be able to pass.
  chmodSync(directory, 0o755)
  afterThisTest(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/**
 * A port reserved until this process ends. A connection originates from it, so the system assigns it to no one else; a
 * service that asks for it by number may listen on it repeatedly, and until one does, nothing answers.
 */
export async function takePort(): Promise<number> {
  const held = connect({ host: '127.0.0.1', port: await anchorPort(), localAddress: '127.0.0.1' }).unref()
  await once(held, 'connect')
  if (held.localPort === undefined) throw new Error('No free port')
  return held.localPort
}

/** A port on which somebody else listens until the test ends. */
export async function takenPort(): Promise<string> {
  const taken = createServer().listen(0)
  await once(taken, 'listening')
  afterThisTest(() => void taken.close())
  const address = taken.address()
  return String(typeof address === 'object' ? address?.port : '')
}

let anchor: Promise<number> | undefined

/** The far end of the connections that reserve ports. */
function anchorPort(): Promise<number> {
  anchor ??= (async () => {
    const server = createServer((socket) => void socket.unref()).listen(0, '127.0.0.1')
    await once(server.unref(), 'listening')
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('No free port')
    return address.port
  })()
  return anchor
}
