import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll } from 'vitest'
import { type Caller, caller, type Reply, type TestApp, until } from '../harness.ts'
import { takePort } from '../process/service.ts'
import { spawnProgram } from '../programs.ts'

export interface RunningProcess {
  baseUrl: string
  child: ChildProcess
  as(key: string | null): Caller
}

/**
 * Starts further processes of the service on the database of a test app: what one deployment of several machines is.
 */
export async function startProcesses(app: TestApp, count: number): Promise<RunningProcess[]> {
  const running = await Promise.all(Array.from({ length: count }, () => startProcess(app)))
  afterAll(async () => {
    for (const { child } of running) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })
  return running
}

/** A request that hashes passwords or backup codes, repeated while too many wait: a slow machine hashes few in time. */
export function untilHashed(send: () => Promise<Reply> | undefined): Promise<Reply> {
  return until(async () => {
    const reply = await send()
    return reply?.status === 503 ? null : reply
  })
}

async function startProcess(app: TestApp): Promise<RunningProcess> {
  const port = await takePort()
  const child = spawnProgram('main.js', [], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      WATCHWORD_METRICS_PORT: '0',
      DATABASE_URL: app.databaseUrl,
      WATCHWORD_MASTER_KEY: app.masterKeyText,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaints = ''
  child.stderr?.on('data', (chunk) => {
    complaints += chunk
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`The process ended: ${complaints}`)
    return fetch(`${baseUrl}/healthz`).then(
      (reply) => reply.ok,
      () => false,
    )
  })
  return { baseUrl, child, as: (key) => caller(baseUrl, key) }
}
