import { sql } from 'kysely'
import type { Platform } from '../platform.ts'

/** Updates the gauges of the job queue. Every process whose metrics are read does this for itself. */
export async function measureJobs({ db, metrics }: Platform): Promise<void> {
  const { rows } = await sql<{ waiting: number; seconds: number; given_up: number }>`
    select count(*) filter (where is_due)::int as waiting,
      coalesce(extract(epoch from clock_now() - min(run_at) filter (where is_due)), 0)::float8 as seconds,
      count(*) filter (where attempts >= max_attempts)::int as given_up
    from (select run_at, attempts, max_attempts,
      run_at <= clock_now() and locked_at is null and attempts < max_attempts as is_due
      from graphile_worker._private_jobs) jobs`.execute(db)
  const [found] = rows
  if (!found) return
  metrics.jobs.waiting.set(found.waiting)
  metrics.jobs.oldestWaiting.set(found.seconds)
  metrics.jobs.givenUp.set(found.given_up)
}
