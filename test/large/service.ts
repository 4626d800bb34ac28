import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import manifest from '../../package.json' with { type: 'json' }

export interface Service {
  baseUrl: string
  apiKey: string
  stop(): Promise<void>
}

const START_MS = 120_000

/** Starts the service as an operator does, on this database. Throws when it is not ready in time. */
export async function startService(databaseUrl: string): Promise<Service> {
  const apiKey = `large_${randomBytes(32).toString('hex')}`
  const [port, metricsPort] = [await findFreePort(), await findFreePort()]
  const baseUrl = `http://127.0.0.1:${port}`
  const [, ...args] = manifest.scripts.start.split(' ')
  const child = spawn(process.execPath, args, {
    cwd: `${import.meta.dirname}/../..`,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'warn',
      WATCHWORD_BASE_URL: baseUrl,
      WATCHWORD_METRICS_PORT: String(metricsPort),
      WATCHWORD_MASTER_KEY: randomBytes(32).toString('base64'),
      WATCHWORD_BOOTSTRAP_API_KEY: apiKey,
      WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0',
    },
  })
  for (const end = performance.now() + START_MS; !(await isReady(metricsPort)); ) {
    if (child.exitCode !== null || performance.now() > end) {
      await stop(child)
      throw new Error('The service did not get ready: see its log above.')
    }
    await delay(100)
  }
  return { baseUrl, apiKey, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

function isReady(metricsPort: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(
    (reply) => reply.ok,
    () => false,
  )
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || !address) throw new Error('No free port')
  return address.port
}
