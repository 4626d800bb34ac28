import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Platform } from '../platform.ts'

export interface JobOptions {
  /** How long the job waits, in milliseconds. */
  delayMs?: number
  /** The number of attempts before the job is given up. Default 25, over about three days. */
  maxAttempts?: number
  /** At most one waiting job has this key. Enqueuing another job replaces it. */
  key?: string
}

/** A kind of background work. It runs at least once, so it must be idempotent. */
export interface JobHandler {
  name: string
  /** Five-field cron expression (UTC), for work that is not enqueued, such as clean-ups. */
  cron?: string
  /** `slow`: the job waits for third-party servers, and must not delay jobs that people wait for. */
  lane?: 'quick' | 'slow'
  handle(platform: Platform, payload: Record<string, unknown>, attempt: number): Promise<void>
}

/**
 * Enqueues a job inside the caller's transaction, so that it runs only if the transaction commits. The payload is
 * stored unencrypted, so it should contain only ids. Anything sensitive in it must be sealed.
 */
export async function enqueue(db: Db, name: string, payload: Record<string, string>, options: JobOptions = {}) {
  // Database clock: the job queue compares its times with now().
  await sql`select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json,
    run_at => now() + make_interval(secs => ${options.delayMs === undefined ? null : options.delayMs / 1000}::float8), max_attempts => ${options.maxAttempts ?? 25},
    job_key => ${options.key ?? null})`.execute(db)
}
