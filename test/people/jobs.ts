import { sql } from 'kysely'
import type { JobHandler } from '../../src/platform/jobs/queue.ts'
import type { Platform } from '../../src/platform/platform.ts'

/** What a job was given. */
export type Payload = Record<string, unknown>

/** Takes what waits for a job out of the queue, oldest first. */
export async function takeJobs({ db }: Platform, { name }: JobHandler): Promise<Payload[]> {
  const { rows } = await sql<{ payload: Payload }>`
    with taken as (
      delete from graphile_worker._private_jobs where task_id =
        (select id from graphile_worker._private_tasks where identifier = ${name})
      returning id, payload)
    select payload from taken order by id`.execute(db)
  return rows.map(({ payload }) => payload)
}

/** Does what waits for a job, as the worker would. */
export async function runJobs(platform: Platform, handler: JobHandler): Promise<void> {
  for (const payload of await takeJobs(platform, handler)) await handler.handle(platform, payload, 1)
}
