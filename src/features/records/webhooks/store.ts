import { type Selectable, sql, type UpdateObject } from 'kysely'
import { now } from '../../../platform/db/now.ts'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { DB, Webhooks } from '../../../platform/db/schema.gen.ts'
import { type Found, findPage, type Page } from '../../../platform/http/pagination.ts'
import type { Directory, Reach } from '../../../platform/tenancy/directory.ts'
import { isServed } from '../../../platform/tenancy/services.ts'

/** A webhook with its organization and the state of its deliveries. */
export interface WebhookRow extends Selectable<Webhooks> {
  organization_id: string | null
  consecutive_failures: number
  last_delivery_at: Date | null
}

/** Selects webhooks with the state of their deliveries. */
function selectWebhooks(db: Db) {
  return db
    .selectFrom('webhooks')
    .innerJoin('webhook_queues', (join) =>
      join
        .onRef('webhook_queues.directory_id', '=', 'webhooks.directory_id')
        .onRef('webhook_queues.webhook_id', '=', 'webhooks.id'),
    )
    .innerJoin('directories', 'directories.id', 'webhooks.directory_id')
    .selectAll('webhooks')
    .select(['webhook_queues.consecutive_failures', 'webhook_queues.last_delivery_at', 'directories.organization_id'])
}

export async function findWebhookRow(db: Db, directory: Directory, id: string): Promise<WebhookRow | undefined> {
  return selectWebhooks(db)
    .where('webhooks.directory_id', '=', directory.id)
    .where('webhooks.id', '=', id)
    .executeTakeFirst()
}

function inReach(db: Db, reach: Reach) {
  return selectWebhooks(db).where((eb) =>
    reach.directory
      ? eb('webhooks.directory_id', '=', reach.directory.id)
      : eb('webhooks.environment_id', '=', reach.environmentId),
  )
}

export async function findWebhookRowInReach(db: Db, reach: Reach, id: string): Promise<WebhookRow | undefined> {
  return inReach(db, reach).where('webhooks.id', '=', id).executeTakeFirst()
}

export function selectWebhookPage(db: Db, reach: Reach, page: Page): Promise<Found<WebhookRow>> {
  return findPage(db, inReach(db, reach).where(isServed(reach, 'webhooks.directory_id')), page, {
    at: 'webhooks.created_at',
    id: 'webhooks.id',
  })
}

/** Locks a webhook until the transaction ends. Returns false if there is none. */
export async function lockWebhookRow(tx: Tx, directory: Directory, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('webhooks')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Counts webhooks. Requests that add one wait until the transaction ends, so the count stays correct. */
export async function countWebhookRows(tx: Tx, directory: Directory): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('watchword.webhooks'), hashtext(${directory.id}))`.execute(tx)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhooks where directory_id = ${directory.id}`.execute(tx)
  return rows[0]?.count ?? 0
}

interface NewWebhook {
  id: string
  name: string
  url: string
  events: string[]
  secret_sealed: string
  secret_hint: string
}

export async function insertWebhookRow(tx: Tx, directory: Directory, row: NewWebhook): Promise<void> {
  await tx
    .insertInto('webhooks')
    .values({ ...row, directory_id: directory.id, environment_id: directory.environmentId })
    .execute()
}

export async function updateWebhookRow(
  tx: Tx,
  directory: Directory,
  id: string,
  set: UpdateObject<DB, 'webhooks'>,
): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ ...set, version: sql`version + 1`, updated_at: now })
    .where('directory_id', '=', directory.id)
    .where('id', '=', id)
    .execute()
}

/** The columns that a rotation changes. The previous secret remains valid for `overlap` seconds. */
export const rotated = (secret_sealed: string, secret_hint: string, overlap: number): UpdateObject<DB, 'webhooks'> => ({
  secret_sealed,
  secret_hint,
  previous_secret_sealed: sql.ref('secret_sealed'),
  previous_until: sql<Date>`clock_now() + make_interval(secs => ${overlap})`,
})

export async function deleteWebhookRow(tx: Tx, directory: Directory, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('directory_id', '=', directory.id).where('id', '=', id).execute()
}

/** Whether a directory has an enabled webhook. */
export async function hasEnabledRow(db: Db, directory: Directory): Promise<boolean> {
  const row = await db
    .selectFrom('webhooks')
    .select('id')
    .where('directory_id', '=', directory.id)
    .where('enabled', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
