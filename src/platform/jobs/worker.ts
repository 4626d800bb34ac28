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
// A claim on a job that is not renewed for this long is void: the process died, or could not report the job's end.
const CLAIM_SECONDS = 60
const RENEW_MS = 15_000
// Each of the concurrent workers asks for a job every two seconds.
const POLL_MS = 2000
const STUCK_AFTER_FAILURES = 2 * CONCURRENCY

/** Runs jobs in this process until stopped, whatever happens to the database meanwhile. */
export async function startWorker(platform: Platform, handlers: JobHandler[]): Promise<Worker> {
  const underWay = new Set<string>()
  const events = watchPolls(() => {
    platform.log.warn({}, 'The job queue cannot be reached')
    runner?.stop().catch(() => undefined)
  })
  const options = { ...runnerOptions(platform, handlers, underWay), events }
  let runner: Runner | null = await run(options)
  const stopping = new AbortController()
  const over = keepRunning(stopping.signal)

  /** The queue's runner gives up on some failures of the database; then it is started anew. */
  async function keepRunning(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await runner?.promise.catch(() => undefined)
      runner = null
      if (stopped.aborted) return
      platform.log.warn({}, 'The job queue stopped: starting it again')
      await delay(1000, undefined, { signal: stopped }).catch(() => undefined)
      runner = stopped.aborted ? null : await run(options).catch(() => null)
    }
    // It came up again in the moment of being stopped.
    await runner?.stop().catch(() => undefined)
  }

  const renewal = setInterval(() => {
    renewClaims(platform.db, [...underWay]).catch((error: unknown) => {
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
      await giveBackJobs(platform.db, [...underWay])
    },
  }
}

/**
 * The queue's runner keeps the failure of its first statement for ever, so that a database that was away at the wrong
 * moment would stop all jobs without a word: one whose workers fail to ask for jobs is started anew.
 */
function watchPolls(onStuck: () => void): EventEmitter {
  const events = new EventEmitter()
  let failures = 0
  const succeeded = () => {
    failures = 0
  }
  events.on('worker:getJob:empty', succeeded)
  events.on('job:start', succeeded)
  events.on('worker:getJob:error', () => {
    failures++
    if (failures % STUCK_AFTER_FAILURES === 0) onStuck()
  })
  return events
}

/** Renews the claims on jobs under way here, and voids those nobody renews: the queue itself waits four hours. */
export async function renewClaims(db: Db, jobIds: string[]): Promise<void> {
  await sql`update graphile_worker._private_jobs set locked_at = now() where id = any(${jobIds})`.execute(db)
  await sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null
    where locked_at < now() - make_interval(secs => ${CLAIM_SECONDS})`.execute(db)
}

async function giveBackJobs(db: Db, jobIds: string[]): Promise<void> {
  await sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null
    where id = any(${jobIds})`.execute(db)
}

function runnerOptions(platform: Platform, handlers: JobHandler[], underWay: Set<string>): RunnerOptions {
  const taskList: TaskList = Object.fromEntries(
    handlers.map((handler) => [
      handler.name,
      async (payload: unknown, { job }: { job: { id: string; attempts: number } }) => {
        underWay.add(job.id)
        await runJob(platform, handler, payload, job.attempts).finally(() => underWay.delete(job.id))
      },
    ]),
  )
  return {
    pgPool: platform.database.queuePool(),
    taskList,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    noPreparedStatements: false,
    pollInterval: POLL_MS,
    logger: quietLogger(platform.log),
    parsedCronItems: parseCronItems(
      handlers.flatMap((handler) => (handler.cron ? [{ task: handler.name, match: handler.cron }] : [])),
    ),
  }
}

async function runJob(platform: Platform, handler: JobHandler, payload: unknown, attempt: number): Promise<void> {
  const fields = typeof payload === 'object' && payload !== null ? Object.fromEntries(Object.entries(payload)) : {}
  try {
    await handler.handle(platform, fields, attempt)
  } catch (error) {
    platform.log.warn({ job: handler.name, attempt, error }, 'A job failed and will be tried again')
    // What the queue stores of a failure must not quote data either.
    throw new Error(JSON.stringify(describeError(error)).slice(0, 500))
  }
}

/** The queue's own log lines quote payloads and errors; only that something happened is kept. */
function quietLogger(log: Log): Logger {
  return new Logger(() => (level) => {
    if (level === 'error') log.warn({}, 'The job queue reported an error')
  })
}
