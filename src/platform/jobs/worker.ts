import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Logger, parseCronItems, type Runner, type RunnerOptions, run, type TaskList } from 'graphile-worker'
import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { describeError, type Log } from '../log.ts'
import type { Platform } from '../platform.ts'
import type { JobHandler } from './queue.ts'

export interface Worker {
  /** False while the queue is not worked on, as after losing the database. */
  isRunning(): boolean
  /** Waits for the jobs under way up to `limitMs`, then gives back those that are not done. */
  stop(limitMs: number): Promise<void>
}

const CONCURRENCY = 5
// A job is given back once its worker has not renewed its claim for this long: the process died, or lost the database.
const LEASE_SECONDS = 60
const RENEW_MS = 15_000

/** Runs jobs in this process until stopped, whatever happens to the database meanwhile. */
export async function startWorker(platform: Platform, handlers: JobHandler[]): Promise<Worker> {
  const workerIds = new Set<string>()
  const options = runnerOptions(platform, handlers, workerIds)
  let runner: Runner | null = await run(options)
  const stopping = new AbortController()
  const over = keepRunning(stopping.signal)

  /** The queue's runner gives up on some failures of the database; then it is started anew. */
  async function keepRunning(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await runner?.promise.catch(() => undefined)
      runner = null
      if (stopped.aborted) return
      workerIds.clear()
      platform.log.warn({}, 'The job queue stopped: starting it again')
      await delay(1000, undefined, { signal: stopped }).catch(() => undefined)
      runner = stopped.aborted ? null : await run(options).catch(() => null)
    }
  }

  const renewal = setInterval(() => {
    renewLeases(platform.db, [...workerIds]).catch((error: unknown) => {
      platform.log.warn({ error }, 'The claims on jobs could not be renewed')
    })
  }, RENEW_MS)
  return {
    isRunning: () => runner !== null,
    async stop(limitMs) {
      clearInterval(renewal)
      stopping.abort()
      const stopped = Promise.all([runner?.stop().catch(() => undefined), over])
      const limit = new AbortController()
      await Promise.race([stopped, delay(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)])
      limit.abort()
      await giveBackJobs(platform.db, [...workerIds])
    },
  }
}

/** Tells that these workers live, and gives back the jobs of those that do not: the queue itself waits four hours. */
export async function renewLeases(db: Db, workerIds: string[]): Promise<void> {
  await sql`update graphile_worker._private_jobs set locked_at = now() where locked_by = any(${workerIds})`.execute(db)
  await sql`select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
    from graphile_worker._private_jobs
    where locked_at < now() - make_interval(secs => ${LEASE_SECONDS})
    having count(*) > 0`.execute(db)
}

async function giveBackJobs(db: Db, workerIds: string[]): Promise<void> {
  await sql`select graphile_worker.force_unlock_workers(${workerIds})`.execute(db)
}

function runnerOptions(platform: Platform, handlers: JobHandler[], workerIds: Set<string>): RunnerOptions {
  const events = new EventEmitter()
  type WorkerEvent = { worker: { workerId: string } }
  events.on('worker:create', ({ worker }: WorkerEvent) => workerIds.add(worker.workerId))
  // It could not report the end of its job and is replaced; the job must not stay claimed.
  events.on('worker:fatalError', ({ worker }: WorkerEvent) => workerIds.delete(worker.workerId))
  const taskList: TaskList = Object.fromEntries(
    handlers.map((handler) => [
      handler.name,
      async (payload: unknown, helpers: { job: { attempts: number } }) => {
        const fields =
          typeof payload === 'object' && payload !== null ? Object.fromEntries(Object.entries(payload)) : {}
        try {
          await handler.handle(platform, fields, helpers.job.attempts)
        } catch (error) {
          platform.log.warn(
            { job: handler.name, attempt: helpers.job.attempts, error },
            'A job failed and will be tried again',
          )
          // What the queue stores of a failure must not quote data either.
          throw new Error(JSON.stringify(describeError(error)).slice(0, 500))
        }
      },
    ]),
  )
  return {
    pgPool: platform.database.pool,
    taskList,
    events,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    noPreparedStatements: false,
    pollInterval: 2000,
    logger: quietLogger(platform.log),
    parsedCronItems: parseCronItems(
      handlers.flatMap((handler) => (handler.cron ? [{ task: handler.name, match: handler.cron }] : [])),
    ),
  }
}

/** The queue's own log lines quote payloads and errors; only that something happened is kept. */
function quietLogger(log: Log): Logger {
  return new Logger(() => (level) => {
    if (level === 'error') log.warn({}, 'The job queue reported an error')
  })
}
