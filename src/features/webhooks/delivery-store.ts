import { type Selectable, sql } from 'kysely'
import { uuidArray } from '../../platform/db/arrays.ts'
import type { Db, Tx } from '../../platform/db/pool.ts'
import type { WebhookDeliveries } from '../../platform/db/schema.gen.ts'
import type { Directory } from '../../platform/http/directory.ts'

export type DeliveryRow = Selectable<WebhookDeliveries>

/** One event for one webhook. */
export interface NewDelivery {
  id: string
  webhookId: string
  eventDirectoryId: string
  eventId: string
  eventType: string
}

/**
 * Puts events into the queues of webhooks of a directory, unless they are there: those are sent again where `again` says
 * so. They are due in so many seconds.
 */
export async function putDeliveries(
  tx: Tx,
  directoryId: string,
  deliveries: readonly NewDelivery[],
  { again = false, dueSeconds = 0 } = {},
): Promise<void> {
  const list = (field: keyof NewDelivery) => uuidArray(deliveries.map((delivery) => delivery[field]))
  const repeat = again ? sql`do update set status = 'pending', tries = 0, due_at = excluded.due_at` : sql`do nothing`
  await sql`
    insert into webhook_deliveries (directory_id, webhook_id, id, event_directory_id, event_id, event_type, due_at)
    select ${directoryId}::uuid, webhook_id, id, event_directory_id, event_id, event_type,
      clock_now() + make_interval(secs => ${dueSeconds})
    from unnest(${list('webhookId')}::uuid[], ${list('id')}::uuid[], ${list('eventDirectoryId')}::uuid[],
        ${list('eventId')}::uuid[], ${deliveries.map(({ eventType }) => eventType)}::text[])
      as given (webhook_id, id, event_directory_id, event_id, event_type)
    on conflict (directory_id, webhook_id, event_id) ${repeat}`.execute(tx)
}

/** Has queues of a directory looked at in so many seconds, or before. */
export async function wakeQueues(tx: Tx, directoryId: string, webhookIds: string[], inSeconds = 0): Promise<void> {
  await sql`
    with due as materialized (select clock_now() + make_interval(secs => ${inSeconds}) as at)
    update webhook_queues set wakes = wakes + 1, wake_at = least(wake_at, due.at) from due
    where directory_id = ${directoryId} and webhook_id = any(${uuidArray(webhookIds)}::uuid[])`.execute(tx)
}

/** The last deliveries of a webhook, the newest first. */
export async function listDeliveryRows(
  db: Db,
  directory: Directory,
  webhookId: string,
  limit: number,
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function findDeliveryRow(
  db: Db,
  directory: Directory,
  webhookId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('directory_id', '=', directory.id)
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Sends one again, from the beginning of the schedule. */
export async function repeatDelivery(tx: Tx, directory: Directory, id: string): Promise<void> {
  await sql`update webhook_deliveries set status = 'pending', tries = 0, due_at = clock_now()
    where directory_id = ${directory.id} and id = ${id}`.execute(tx)
}

/** What became of an attempt. */
export interface Result {
  id: string
  /** As it was read: whoever finds another number comes too late. */
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

/** Writes what became of attempts. */
export async function saveResults(db: Db, directory: Directory, results: readonly Result[]): Promise<void> {
  await sql`
    with given as materialized (
      select *, clock_now() + make_interval(secs => "dueSeconds") as due
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as each (id uuid, attempt int, status text, tries int,
        "dueSeconds" float8, url text, request_headers jsonb, response_status int, response_body text, error text,
        duration_ms int, attempts jsonb))
    update webhook_deliveries as d set attempt = d.attempt + 1, status = given.status, tries = given.tries,
      due_at = given.due, url = given.url, request_headers = given.request_headers,
      response_status = given.response_status, response_body = given.response_body, error = given.error,
      duration_ms = given.duration_ms, attempts = given.attempts
    from given where d.directory_id = ${directory.id} and d.id = given.id and d.attempt = given.attempt`.execute(db)
}

/** Removes some deliveries of a webhook that is no more. Returns how many. */
export async function forgetDeliveries(
  db: Db,
  directory: Directory,
  webhookId: string,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where directory_id = ${directory.id} and id in (
      select id from webhook_deliveries where directory_id = ${directory.id} and webhook_id = ${webhookId}
      limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
