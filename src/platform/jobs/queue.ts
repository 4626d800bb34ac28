import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Platform } from '../platform.ts'

export interface JobOptions {
  runAt?: Date
  /** Tries before the job is given up. Default 25, over about three days. */
  maxAttempts?: number
  /** At most one waiting job has it: enqueued again, the job that waits is replaced. */
  key?: string
}

/** One kind of background work. Runs at least once: doing it twice must do no harm. */
export interface JobHandler {
  name: string
  /** Five-field cron expression (UTC) of work that nobody enqueues, such as cleaning up. */
  cron?: string
  handle(platform: Platform, payload: Record<string, unknown>, attempt: number): Promise<void>
}

/**
 * Enqueues a job inside the caller's transaction: it runs if that commits, and only then. The payload is stored in
 * clear, so it carries ids and never a secret.
 */
export async function enqueue(db: Db, name: string, payload: Record<string, string>, options: JobOptions = {}) {
  await sql`select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json,
    run_at => ${options.runAt ?? null}, max_attempts => ${options.maxAttempts ?? 25},
    job_key => ${options.key ?? null})`.execute(db)
}
