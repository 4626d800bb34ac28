import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Config } from '../platform/config/config.ts'
import { readSealingKeyId } from '../platform/crypto/keyring.ts'
import { loadMasterKeys, provideMasterKeys } from '../platform/crypto/master-key.ts'
import { findPooler } from '../platform/db/pooler.ts'
import { createLog, type Log } from '../platform/observability/log.ts'
import { type Checks, checkNames } from '../platform/observability/private-listener.ts'
import { openPlatform } from '../wiring/app.ts'
import { announceReady, sayTo } from './announce.ts'
import { assertWorkersServed } from './embedded-workers.ts'
import type { Lifetime } from './lifetime.ts'
import { buildService, ensureSchema, openDeploymentDatabase, privateListener, provideFirstKey } from './start.ts'

const ANSWER_MS = 3000
const STOP_MS = 27_000
const HEALTHY_MS = 60_000

/**
 * The primary process with `WORKERS` workers. It owns the embedded database, migrates, and keeps the workers running.
 */
export async function runPrimary(config: Config, lifetime: Lifetime): Promise<void> {
  assertWorkersServed(config)
  const log = createLog(config)
  const say = sayTo(config, log)
  const database = await openDeploymentDatabase(config, lifetime, say)
  await ensureSchema(config, database, { log, say })
  const masterKeys = await provideMasterKeys(config, () => readSealingKeyId(database.databaseUrl), say)
  const { platform, close } = await openPlatform({ config, ...database, masterKeys, log })
  const { databaseUrl } = database
  const openPrivateListener = privateListener(config, lifetime)
  lifetime.atEnd('stopping the workers', STOP_MS, stopWorkers)
  // One worker starts before the others. A problem that would stop all of them is then reported only once.
  const port = await startFirst(fork({ slot: 1, databaseUrl, log, lifetime }))
  if (port === null) return close().then(() => lifetime.end(1))
  for (let slot = 2; slot <= config.workers; slot++) fork({ slot, databaseUrl, log, lifetime })
  let isReady = false
  await openPrivateListener({
    readChecks: async () => (lifetime.ending.aborted || !isReady ? null : mergeChecks(await askAll('checks'))),
    readMetrics: async () => mergeMetrics(await askAll('metrics')),
  })
  // Shown only once, so it is created only when nothing can fail any more.
  const firstKey = await provideFirstKey(platform).finally(close)
  isReady = true
  announceReady({ config, log, port, firstKey, lifetime })
}

/** A process that serves requests, on the database that the primary has prepared. */
export async function runWorker(config: Config, lifetime: Lifetime): Promise<void> {
  const log = createLog(config)
  const service = await buildService({
    config,
    databaseUrl: config.databaseUrl ?? '',
    pooler: await findPooler(config.databaseUrl ?? '', config.databaseDirectUrl),
    masterKeys: loadMasterKeys(config),
    log,
    lifetime,
  })
  const { registry } = service.app.metrics
  process.on('message', async (message: unknown) => {
    if (!isQuestion(message)) return
    registry.setDefaultLabels({ worker: String(message.slot) })
    const readMetrics = () => service.measure().then(() => registry.getMetricsAsJSON())
    const answer = message.ask === 'checks' ? await service.readers.readChecks() : await readMetrics()
    // The primary may have ended meanwhile.
    if (process.connected) process.send?.({ id: message.id, answer })
  })
  await service.listen()
}

/** Slot numbers from 1. A replacement inherits its worker's slot, so that its metrics continue under the same label. */
const slots = new Map<number, number>()

interface Place {
  slot: number
  databaseUrl: string
  log: Log
  lifetime: Lifetime
}

/** Starts a worker and replaces it whenever it ends. The delay grows with the number of consecutive ends. */
function fork(place: Place, deaths = 0): Worker {
  const { slot, databaseUrl, log, lifetime } = place
  const worker = cluster.fork({ DATABASE_URL: databaseUrl })
  slots.set(worker.id, slot)
  const startedAt = performance.now()
  let isServing = false
  worker.once('listening', () => {
    isServing = true
  })
  worker.once('exit', async (code: number | null, signal: string | null) => {
    slots.delete(worker.id)
    if (lifetime.ending.aborted || (slot === 1 && !isServing && deaths === 0)) return
    const count = performance.now() - startedAt > HEALTHY_MS ? 1 : deaths + 1
    log.error(
      { worker: slot, pid: worker.process.pid ?? 0, code: signal ?? `exit ${code}` },
      'A worker ended: starting another',
    )
    await delay(Math.min(30_000, 125 * 2 ** count), undefined, { signal: lifetime.ending }).catch(() => undefined)
    if (!lifetime.ending.aborted) fork(place, count)
  })
  return worker
}

/** @returns the worker's port, or null if the worker ended first and reported why. */
async function startFirst(worker: Worker): Promise<number | null> {
  const over = new AbortController()
  const listening = once(worker, 'listening', { signal: over.signal }).then(([address]) => Number(address.port))
  const ended = once(worker, 'exit', { signal: over.signal }).then(() => null)
  const port = await Promise.race([listening, ended])
  listening.catch(() => undefined)
  ended.catch(() => undefined)
  over.abort()
  return port
}

function liveWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}

async function stopWorkers(): Promise<void> {
  await Promise.all(
    liveWorkers().map((worker) => {
      const gone = once(worker, 'exit')
      worker.process.kill('SIGTERM')
      return gone
    }),
  )
}

type Ask = 'checks' | 'metrics'
let questions = 0

async function askAll(ask: Ask): Promise<unknown[]> {
  const answers = await Promise.all(liveWorkers().map((worker) => askWorker(worker, ask)))
  return answers.filter((answer) => answer !== null)
}

/** @returns null if the worker does not respond in time, because it is starting, busy, or has ended. */
async function askWorker(worker: Worker, ask: Ask): Promise<unknown> {
  const id = ++questions
  const limit = AbortSignal.timeout(ANSWER_MS)
  if (!worker.isConnected()) return null
  worker.send({ id, ask, slot: slots.get(worker.id) }, () => undefined)
  try {
    for (;;) {
      const [message]: unknown[] = await once(worker, 'message', { signal: limit })
      if (isAnswer(message) && message.id === id) return message.answer
    }
  } catch {
    return null
  }
}

function isQuestion(message: unknown): message is { id: number; ask: Ask; slot: number } {
  return typeof message === 'object' && message !== null && 'ask' in message && 'id' in message
}

function isAnswer(message: unknown): message is { id: number; answer: unknown } {
  return typeof message === 'object' && message !== null && 'answer' in message && 'id' in message
}

/** A check passes if it passes in every worker that responds, and at least one responds. */
function mergeChecks(answers: unknown[]): Checks | null {
  if (answers.length === 0) return null
  const passed = (name: string) =>
    answers.every((answer) => typeof answer === 'object' && answer !== null && Reflect.get(answer, name) === 'ok')
  const [database, migrations, queue, signing_key] = checkNames.map((name) => (passed(name) ? 'ok' : 'failed'))
  return {
    database: database ?? 'failed',
    migrations: migrations ?? 'failed',
    queue: queue ?? 'failed',
    signing_key: signing_key ?? 'failed',
  }
}

/** All metrics of every worker, distinguished by the label `worker`. */
async function mergeMetrics(answers: unknown[]): Promise<string> {
  const lists = answers.filter((answer) => Array.isArray(answer))
  return AggregatorRegistry.aggregate(lists).metrics()
}
