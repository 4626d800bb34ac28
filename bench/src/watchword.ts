import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownRoot } from './bench.ts'
import { type Server, stopChild } from './child.ts'
import { readText } from './json-field.ts'

const START_TIMEOUT_SECONDS = 60

export interface Watchword extends Server {
  apiKey: string
  /** From the start of the process until the private listener calls it ready. */
  readyAfterMs: number
}

/** A master key for a deployment that is to be started more than once. */
export function makeMasterKey(): string {
  return randomBytes(32).toString('base64')
}

/**
 * Starts the service of a checkout as an operator does; `settings` are its environment variables. Throws when it is not
 * ready in time.
 */
export async function startWatchword(settings: Record<string, string>, root = ownRoot): Promise<Watchword> {
  const apiKey = `bench_${randomBytes(32).toString('hex')}`
  const [port, metricsPort] = [await findFreePort(), await findFreePort()]
  const baseUrl = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  const [, ...args] = readText(manifest, 'scripts.start').split(' ')
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', process.stderr, 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      PORT: String(port),
      WATCHWORD_METRICS_PORT: String(metricsPort),
      WATCHWORD_BASE_URL: baseUrl,
      WATCHWORD_MASTER_KEY: makeMasterKey(),
      WATCHWORD_BOOTSTRAP_API_KEY: apiKey,
      ...settings,
    },
  })
  try {
    await waitUntilOk(`${baseUrl}/healthz`, () => child.exitCode === null)
    await waitUntilOk(`http://127.0.0.1:${metricsPort}/readyz`, () => child.exitCode === null)
  } catch (error) {
    await stopChild(child)
    throw error
  }
  const readyAfterMs = performance.now() - startedAt
  return { baseUrl, apiKey, readyAfterMs, pid: child.pid ?? 0, stop: () => stopChild(child) }
}

async function waitUntilOk(url: string, isRunning: () => boolean): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_SECONDS * 1000
  while (performance.now() < deadline) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => null,
    )
    if (status === 200) return
    if (!isRunning()) throw new Error('Watchword ended while starting: see its log above.')
    await sleep(5)
  }
  throw new Error(`${url} was not 200 within ${START_TIMEOUT_SECONDS} s`)
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || !address) throw new Error('No free port')
  return address.port
}
