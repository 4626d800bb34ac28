import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Logger, parseCronItems, type Runner, type RunnerOptions, run, type TaskList } from 'graphile-worker'
import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { describeError, type Log } from '../observability/log.ts'
import type { Platform } from '../platform.ts'
import type { JobHandler } from './queue.ts'

export interface Worker {
  /** False while no jobs are taken from the queue, for example after the database was lost. */
  isRunning(): boolean
  /** Waits up to `limitMs` for running jobs, then releases the unfinished ones. */
  stop(limitMs: number): Promise<void>
}

// The number of concurrent jobs in each lane. Jobs that wait for third-party servers, such as deliveries to endpoints
// that hang, have their own lane, so that they never delay a mail with a code.
const LANES = { quick: 5, slow: 20 }
// A claim on a job expires if it is not renewed for this long, because the process died or could not report the job's
// end.
const CLAIM_SECONDS = 60
const RENEW_MS = 15_000
// Each of the concurrent workers looks for a job every two seconds.
const POLL_MS = 2000

/** Runs jobs in this process until stopped, through any failure of the database. Each lane runs separately. */
export async function startWorker(platform: Platform, handlers: JobHandler[]): Promise<Worker> {
  const byLane = Map.groupBy(handlers, (handler) => handler.lane ?? 'quick')
  const lanes = await Promise.all([...byLane].map(([lane, own]) => startLane(platform, own, LANES[lane])))
  return {
    isRunning: () => lanes.every((lane) => lane.isRunning()),
    async stop(limitMs) {
      await Promise.all(lanes.map((lane) => lane.stop(limitMs)))
    },
  }
}

async function startLane(platform: Platform, handlers: JobHandler[], concurrency: number): Promise<Worker> {
  const underWay = new Set<string>()
  const events = watchPolls(2 * concurrency, () => {
    platform.log.warn({}, 'The job queue cannot be reached')
    runner?.stop().catch(() => undefined)
  })
  const options = { ...runnerOptions(platform, handlers, underWay), concurrency, events }
  let runner: Runner | null = await run(options)
  const stopping = new AbortController()
  const over = keepRunning(stopping.signal)

  /** The queue's runner gives up after some database failures and is then restarted. */
  async function keepRunning(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      await runner?.promise.catch(() => undefined)
      runner = null
      if (stopped.aborted) return
      platform.log.warn({}, 'The job queue stopped: restarting it')
      await delay(1000, undefined, { signal: stopped }).catch(() => undefined)
      runner = stopped.aborted ? null : await run(options).catch(() => null)
    }
    // The runner may have been restarted while it was being stopped.
    await runner?.stop().catch(() => undefined)
  }

  const renewal = setInterval(() => {
    renewClaims(platform.db, [...underWay]).catch((error: unknown) => {
      // Stopping closes the connections of a running renewal, and releases the jobs itself.
      if (stopping.signal.aborted) return
      platform.log.warn({ error }, 'The claims on running jobs could not be renewed')
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
      await releaseJobs(platform.db, [...underWay])
    },
  }
}

/**
 * The queue's runner keeps the failure of its first statement forever, so a database that was unavailable at the wrong
 * moment would silently stop all jobs. A runner whose workers fail to look for jobs is therefore restarted.
 */
function watchPolls(limit: number, onStuck: () => void): EventEmitter {
  const events = new EventEmitter()
  let failures = 0
  const succeeded = () => {
    failures = 0
  }
  events.on('worker:getJob:empty', succeeded)
  events.on('job:start', succeeded)
  events.on('worker:getJob:error', () => {
    failures++
    if (failures % limit === 0) onStuck()
  })
  return events
}

/** Renews the claims on jobs that run here and ends expired claims. The queue itself would wait four hours. */
export async function renewClaims(db: Db, jobIds: string[]): Promise<void> {
  // Database clock: the job queue compares its times with now().
  await sql`update graphile_worker._private_jobs set locked_at = now() where id = any(${jobIds})`.execute(db)
  await sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null
    where locked_at < now() - make_interval(secs => ${CLAIM_SECONDS})`.execute(db)
}

async function releaseJobs(db: Db, jobIds: string[]): Promise<void> {
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
    noHandleSignals: true,
    noPreparedStatements: false,
    pollInterval: POLL_MS,
    // Without batching, the queue does not handle a failure to store a job's end, and the process would end. With
    // batching, only the runner ends, and it is restarted.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
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
    // The failure that the queue stores must not quote data either.
    throw new Error(JSON.stringify(describeError(error)).slice(0, 500))
  }
}

/**
 * The queue's own log lines quote payloads and errors. So only the message type is logged, and what `describeError`
 * keeps of the error.
 */
function quietLogger(log: Log): Logger {
  return new Logger(() => (level, _message, meta) => {
    const error = meta?.['error']
    if (level === 'error') log.warn(error === undefined ? {} : { error }, 'The job queue reported an error')
  })
}
