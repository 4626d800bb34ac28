import { Logger, parseCronItems, run, type TaskList } from 'graphile-worker'
import { describeError, type Log } from '../log.ts'
import type { Platform } from '../platform.ts'
import type { JobHandler } from './queue.ts'

export interface Worker {
  /** Waits for the jobs under way, and gives the others back. */
  stop(): Promise<void>
}

const CONCURRENCY = 5

/** Runs jobs in this process. */
export async function startWorker(platform: Platform, handlers: JobHandler[]): Promise<Worker> {
  const taskList: TaskList = Object.fromEntries(
    handlers.map((handler) => [
      handler.name,
      async (payload: unknown, helpers: { job: { attempts: number } }) => {
        const fields = typeof payload === 'object' && payload !== null ? Object.fromEntries(Object.entries(payload)) : {}
        try {
          await handler.handle(platform, fields, helpers.job.attempts)
        } catch (error) {
          platform.log.warn({ job: handler.name, attempt: helpers.job.attempts, error }, 'A job failed and will be tried again')
          // What the queue stores of a failure must not quote data either.
          throw new Error(JSON.stringify(describeError(error)).slice(0, 500))
        }
      },
    ]),
  )
  const runner = await run({
    pgPool: platform.database.pool,
    taskList,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    noPreparedStatements: false,
    pollInterval: 2000,
    logger: quietLogger(platform.log),
    parsedCronItems: parseCronItems(
      handlers.flatMap((handler) => (handler.cron ? [{ task: handler.name, match: handler.cron }] : [])),
    ),
  })
  return { stop: () => runner.stop() }
}

/** The queue's own log lines quote payloads and errors; only that something happened is kept. */
function quietLogger(log: Log): Logger {
  return new Logger(() => (level) => {
    if (level === 'error') log.warn({}, 'The job queue reported an error')
  })
}
