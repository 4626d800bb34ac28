import { type Selectable, sql } from 'kysely'
import { uuidArray } from '../../../platform/db/arrays.ts'
import { changeInBatches, hasRow } from '../../../platform/db/batches.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { WebhookDeliveries } from '../../../platform/db/schema.gen.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'

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
 * Adds events to the queues of a directory's webhooks, due in `dueSeconds`. Events that are already there stay as
 * they are, or with `again` are sent again.
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

/** Makes queues of a directory due in `inSeconds` at the latest. */
export async function wakeQueues(tx: Tx, directoryId: string, webhookIds: string[], inSeconds = 0): Promise<void> {
  await sql`
    with due as materialized (select clock_now() + make_interval(secs => ${inSeconds}) as at)
    update webhook_queues set wakes = wakes + 1, wake_at = least(wake_at, due.at) from due
    where directory_id = ${directoryId} and webhook_id = any(${uuidArray(webhookIds)}::uuid[])`.execute(tx)
}

/** The latest deliveries of a webhook, newest first. */
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

/** Sends a delivery again, with all retries. */
export async function repeatDelivery(tx: Tx, directory: Directory, id: string): Promise<void> {
  await sql`update webhook_deliveries set status = 'pending', tries = 0, due_at = clock_now()
    where directory_id = ${directory.id} and id = ${id}`.execute(tx)
}

/** Removes up to `limit` deliveries of a deleted webhook. Returns how many. */
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

/** Removes deliveries of a directory by the ids of their events, or of the events' directories. Returns how many. */
export async function forgetDeliveriesOf(
  db: Db,
  directoryId: string,
  {
    eventIds = [],
    eventDirectoryIds = [],
    limit = null,
  }: { eventIds?: string[]; eventDirectoryIds?: string[]; limit?: number | null },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where directory_id = ${directoryId} and id in (
      select id from webhook_deliveries where directory_id = ${directoryId}
        and (event_id = any(${uuidArray(eventIds)}::uuid[])
          or event_directory_id = any(${uuidArray(eventDirectoryIds)}::uuid[]))
      limit ${limit}::int)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** How many deliveries are still to be sent. */
export async function countPendingDeliveries(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhook_deliveries where due_at is not null`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Gives up the deliveries of a directory whose events were recorded before a time, one batch at a time. They can be
 * sent again by hand. Returns how many.
 */
export async function discardDeliveries(
  db: Db,
  directoryId: string,
  recordedBefore: Date,
  batch: number,
): Promise<number> {
  const isOlder = sql`directory_id = ${directoryId} and due_at is not null and event_id < ${firstIdAt(recordedBefore)}`
  return changeInBatches({
    change: async () => {
      const { numAffectedRows } = await sql`
        update webhook_deliveries set status = 'failed', error = 'discarded', due_at = null
        where ${isOlder} and id in (select id from webhook_deliveries where ${isOlder} limit ${batch})`.execute(db)
      return Number(numAffectedRows ?? 0)
    },
    isAnyLeft: () => hasRow(db, sql`webhook_deliveries where ${isOlder}`),
  })
}
