import { sql } from 'kysely'
import type { Db } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { HeldQueue } from './queue-store.ts'

/** The result of an attempt to deliver. */
export interface Result {
  id: string
  /**
   * The number of the attempt when it began. If the row has another number by now, this result is too late and is
   * ignored.
   */
  attempt: number
  status: 'pending' | 'succeeded' | 'failed'
  tries: number
  dueSeconds: number | null
  url: string
  request_headers: object
  response_status: number | null
  response_body: string | null
  error: string | null
  duration_ms: number
  attempts: readonly object[]
}

const given = (results: readonly Result[]) => sql`given as materialized (
  select *, clock_now() + make_interval(secs => "dueSeconds") as due
  from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as each (id uuid, attempt int, status text, tries int,
    "dueSeconds" float8, url text, request_headers jsonb, response_status int, response_body text, error text,
    duration_ms int, attempts jsonb))`

const save = (directory: Directory) => sql`
  update webhook_deliveries as d set attempt = d.attempt + 1, status = given.status, tries = given.tries,
    due_at = given.due, url = given.url, request_headers = given.request_headers,
    response_status = given.response_status, response_body = given.response_body, error = given.error,
    duration_ms = given.duration_ms, attempts = given.attempts
  from given where d.directory_id = ${directory.id} and d.id = given.id and d.attempt = given.attempt`

/** Writes the results of attempts that were not made by the queue. */
export async function saveResults(db: Db, directory: Directory, results: readonly Result[]): Promise<void> {
  await sql`with ${given(results)} ${save(directory)}`.execute(db)
}

/** The state of an endpoint after some attempts. */
export interface Health {
  failures: number
  isWell: boolean
  isSlow: boolean
}

/**
 * Writes the results of attempts and the state of the endpoint. `wakes` is the queue's counter as it was read; if it
 * is set, the queue is released. If the counter has changed, something was added since, and the queue is due at once.
 * Returns for how many seconds the endpoint has failed without a success.
 */
export async function saveOutcomes(
  db: Db,
  directory: Directory,
  queue: HeldQueue,
  { results, health, wakes }: { results: readonly Result[]; health: Health; wakes: string | null },
): Promise<number> {
  const { failures, isWell, isSlow } = health
  const goes = sql`${wakes}::bigint is not null`
  // A failure more than 36 hours ago does not count as continuous with this one: retries are at most a day apart.
  const { rows } = await sql<{ seconds: number }>`
    with ${given(results)}, saved as (${save(directory)}),
    moment as materialized (select clock_now() as at, clock_now() - interval '36 hours' as forgotten),
    rest as materialized (
      select min(due_at) as at from (
        select due_at from webhook_deliveries where ${wakes}::bigint is not null and directory_id = ${directory.id}
          and webhook_id = ${queue.webhookId} and due_at is not null and id not in (select id from given)
        union all select due from given) as left_over)
    update webhook_queues set last_delivery_at = moment.at, troubled = ${isSlow},
      holder = case when ${goes} then null else holder end,
      leased_until = case when ${goes} then moment.at else leased_until end,
      wake_at = case when ${wakes}::bigint <> wakes or rest.at < moment.at then moment.at
        when ${goes} then rest.at else wake_at end,
      consecutive_failures = case when ${isWell} then 0 else consecutive_failures + ${failures}::int end,
      failing_since = case when ${isWell} then null
        when failing_since is null or last_failure_at < moment.forgotten then moment.at else failing_since end,
      last_failure_at = case when ${isWell} then last_failure_at else moment.at end
    from moment, rest where directory_id = ${directory.id} and webhook_id = ${queue.webhookId}
      and holder = ${queue.holder}
    returning coalesce(extract(epoch from last_failure_at - failing_since), 0)::float8 as seconds`.execute(db)
  return rows[0]?.seconds ?? 0
}
