import { type RawBuilder, sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import { skipLocked } from '../../../platform/db/distributed.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { DeliveryRow } from './delivery-store.ts'

/** A queue that a process has claimed, until the lease ends. */
export interface HeldQueue {
  directoryId: string
  webhookId: string
  holder: string
}

// Longer than a queue is served (`HOLD_MS`), plus the longest attempt and its statements. If a process dies, its
// queues wait for this time.
const LEASE_SECONDS = 20

/** Creates the queue of a new webhook. */
export async function provideQueue(tx: Tx, directory: Directory, webhookId: string): Promise<void> {
  await tx.insertInto('webhook_queues').values({ directory_id: directory.id, webhook_id: webhookId }).execute()
}

/** Claims due queues that have no holder: the healthy ones, or the troubled ones. */
export async function claimQueues(
  { db, database }: Pick<Platform, 'db' | 'database'>,
  { holder, troubled, limit }: { holder: string; troubled: boolean; limit: number },
): Promise<HeldQueue[]> {
  const isDue = sql`(troubled = ${troubled} and wake_at <= clock_now() and leased_until <= clock_now())`
  // As an array: with `in`, the subquery might run again for each row and take other queues each time.
  const { rows } = await sql<HeldQueue>`
    update webhook_queues set holder = ${holder}, leased_until = clock_now() + make_interval(secs => ${LEASE_SECONDS})
    where ${isDue} and webhook_id = any(array(
      select webhook_id from webhook_queues where ${isDue} order by wake_at limit ${limit} ${skipLocked(database)}))
    returning directory_id as "directoryId", webhook_id as "webhookId", holder`.execute(db)
  return rows
}

/** The due deliveries of a queue, and the endpoint to send them to. */
export interface Work {
  webhookId: string
  wakes: string
  url: string
  name: string
  enabled: boolean
  secret_sealed: string
  previous_secret_sealed: string | null
  consecutive_failures: number
  deliveries: DeliveryRow[]
}

/** Reads a queue's due deliveries and its endpoint as they are now. Null if this process no longer holds the queue. */
export async function readQueue(db: Db, directory: Directory, queue: HeldQueue, limit: number): Promise<Work | null> {
  const whose = sql`q.directory_id = ${directory.id} and q.webhook_id = ${queue.webhookId}`
  return (await readWork(db, sql`${whose} and q.holder = ${queue.holder}`, limit))[0] ?? null
}

/** Reads several queues that one process has claimed together. */
export async function readQueues(db: Db, queues: readonly HeldQueue[], limit: number): Promise<Work[]> {
  const ids = (of: 'directoryId' | 'webhookId') => uuidArray(queues.map((queue) => queue[of]))
  const whose = sql`(q.directory_id, q.webhook_id) in (
    select * from unnest(${ids('directoryId')}::uuid[], ${ids('webhookId')}::uuid[]))`
  return readWork(db, sql`${whose} and q.holder = ${queues[0]?.holder}`, limit)
}

async function readWork(db: Db, whose: RawBuilder<unknown>, limit: number): Promise<Work[]> {
  const { rows } = await sql<Omit<Work, 'deliveries'> & DeliveryRow>`
    select q.webhook_id as "webhookId", q.wakes::text as wakes, w.url, w.name, w.enabled, w.secret_sealed,
      case when w.previous_until > clock_now() then w.previous_secret_sealed end as previous_secret_sealed,
      q.consecutive_failures, d.id, d.event_directory_id, d.event_id, d.event_type, d.attempt, d.tries, d.attempts
    from webhook_queues q join webhooks w on w.directory_id = q.directory_id and w.id = q.webhook_id
      left join lateral (
        select * from webhook_deliveries due
        where due.directory_id = q.directory_id and due.webhook_id = q.webhook_id and due.due_at <= clock_now()
        order by due.due_at limit ${limit}) d on true
    where ${whose} and q.leased_until > clock_now()`.execute(db)
  return [...Map.groupBy(rows, (row) => row.webhookId).values()].flatMap((own) => {
    const [first] = own
    return first ? [{ ...first, deliveries: own.filter(({ id }) => id !== null) }] : []
  })
}

/** Releases a queue without due deliveries. If something was added since it was read, it is due at once. */
export async function releaseQueue(
  db: Db,
  directory: Directory,
  queue: HeldQueue,
  { wakes, rests }: { wakes: string; rests: 'until due' | 'until woken' | 'a minute' },
): Promise<void> {
  const restsUntil = {
    'until due': sql`(select min(due_at) from webhook_deliveries
      where directory_id = ${directory.id} and webhook_id = ${queue.webhookId} and due_at is not null)`,
    'until woken': sql`null`,
    'a minute': sql`moment.at + interval '1 minute'`,
  }[rests]
  await sql`
    with moment as materialized (select clock_now() as at)
    update webhook_queues set holder = null, leased_until = moment.at,
      wake_at = case when wakes = ${wakes}::bigint then ${restsUntil} else moment.at end
    from moment where directory_id = ${directory.id} and webhook_id = ${queue.webhookId}
      and holder = ${queue.holder}`.execute(db)
}
