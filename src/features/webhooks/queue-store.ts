import { sql } from 'kysely'
import { skipLocked } from '../../platform/db/distributed.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { Platform } from '../../platform/platform.ts'
import type { DeliveryRow } from './delivery-store.ts'

/** A queue that a process works on, until its lease ends. */
export interface HeldQueue {
  directoryId: string
  webhookId: string
  holder: string
}

// Longer than one may be held, with the longest attempt.
const LEASE_SECONDS = 60

/** Takes queues that are due and that nobody works on: of those that are well, or of those in trouble. */
export async function claimQueues(
  { db, database }: Pick<Platform, 'db' | 'database'>,
  { holder, troubled, limit }: { holder: string; troubled: boolean; limit: number },
): Promise<HeldQueue[]> {
  const isDue = sql`(troubled = ${troubled} and wake_at <= clock_now() and leased_until <= clock_now())`
  const { rows } = await sql<{ directory_id: string; webhook_id: string }>`
    update webhook_queues set holder = ${holder}, leased_until = clock_now() + make_interval(secs => ${LEASE_SECONDS})
    where ${isDue} and (directory_id, webhook_id) in (
      select directory_id, webhook_id from webhook_queues where ${isDue}
      order by wake_at limit ${limit} ${skipLocked(database)})
    returning directory_id, webhook_id`.execute(db)
  return rows.map((row) => ({ directoryId: row.directory_id, webhookId: row.webhook_id, holder }))
}

/** What a queue has to do, with where to. */
export interface Work {
  wakes: string
  url: string
  name: string
  enabled: boolean
  secret_sealed: string
  previous_secret_sealed: string | null
  consecutive_failures: number
  deliveries: DeliveryRow[]
}

/** What is due of a queue, as everything is now; null when this process no longer holds it. */
export async function readQueue(db: Db, directory: Directory, queue: HeldQueue, limit: number): Promise<Work | null> {
  const { rows } = await sql<Omit<Work, 'deliveries'> & DeliveryRow>`
    select q.wakes::text as wakes, w.url, w.name, w.enabled, w.secret_sealed, q.consecutive_failures,
      case when w.previous_until > clock_now() then w.previous_secret_sealed end as previous_secret_sealed,
      d.id, d.event_directory_id, d.event_id, d.event_type, d.attempt, d.tries, d.attempts
    from webhook_queues q join webhooks w on w.directory_id = q.directory_id and w.id = q.webhook_id
      left join lateral (
        select * from webhook_deliveries due
        where due.directory_id = ${directory.id} and due.webhook_id = ${queue.webhookId} and due.due_at <= clock_now()
        order by due.due_at limit ${limit}) d on true
    where q.directory_id = ${directory.id} and q.webhook_id = ${queue.webhookId} and q.holder = ${queue.holder}
      and q.leased_until > clock_now()`.execute(db)
  const [first] = rows
  return first ? { ...first, deliveries: rows.filter(({ id }) => id !== null) } : null
}

/** How an endpoint fares after some attempts. */
export interface Health {
  failures: number
  isWell: boolean
  isSlow: boolean
}

/** Notes that, and returns for how many seconds it has only failed. */
export async function noteHealth(
  db: Db,
  directory: Directory,
  queue: HeldQueue,
  { failures, isWell, isSlow }: Health,
): Promise<number> {
  // A failure of long ago says nothing of the time since: the schedule waits a day at most.
  const { rows } = await sql<{ seconds: number }>`
    with moment as materialized (select clock_now() as at, clock_now() - interval '36 hours' as forgotten)
    update webhook_queues set last_delivery_at = moment.at, troubled = ${isSlow || !isWell},
      consecutive_failures = case when ${isWell} then 0 else consecutive_failures + ${failures}::int end,
      failing_since = case when ${isWell} then null
        when failing_since is null or last_failure_at < moment.forgotten then moment.at else failing_since end,
      last_failure_at = case when ${isWell} then last_failure_at else moment.at end
    from moment where directory_id = ${directory.id} and webhook_id = ${queue.webhookId} and holder = ${queue.holder}
    returning coalesce(extract(epoch from last_failure_at - failing_since), 0)::float8 as seconds`.execute(db)
  return rows[0]?.seconds ?? 0
}

/** Lets go of a queue, unless something was put in since it was read: then false. */
export async function releaseQueue(
  db: Db,
  directory: Directory,
  queue: HeldQueue,
  { wakes, rests }: { wakes: string; rests: 'until due' | 'until woken' | 'a minute' },
): Promise<boolean> {
  const wakeAt = {
    'until due': sql`(select min(due_at) from webhook_deliveries
      where directory_id = ${directory.id} and webhook_id = ${queue.webhookId} and due_at is not null)`,
    'until woken': sql`null`,
    'a minute': sql`clock_now() + interval '1 minute'`,
  }[rests]
  const { numAffectedRows } = await sql`
    update webhook_queues set holder = null, leased_until = clock_now(), wake_at = ${wakeAt}
    where directory_id = ${directory.id} and webhook_id = ${queue.webhookId} and holder = ${queue.holder}
      and wakes = ${wakes}::bigint`.execute(db)
  return Number(numAffectedRows ?? 0) > 0
}
