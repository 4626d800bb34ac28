import type { ApiError } from '../../../platform/errors.ts'
import { findEvents } from '../../../platform/events/event-places.ts'
import { asTable, type Table } from '../../../platform/http/answer.ts'
import type { Found, Page } from '../../../platform/http/pagination.ts'
import { isId } from '../../../platform/ids.ts'
import type { Directory, Reach } from '../../../platform/tenancy/directory.ts'
import { directoryInReach } from '../../../platform/tenancy/services.ts'
import type { ReachWork, Work } from '../../../platform/work.ts'
import { type DeliveryRow, listDeliveryRows } from '../deliveries/delivery-store.ts'
import { webhookErrors } from './errors.ts'
import type { WebhookDelivery } from './schema.ts'
import { findWebhookRowInReach, hasEnabledRow, selectWebhookPage, type WebhookRow } from './store.ts'
import { toDelivery } from './view.ts'

/** Throws `webhook_not_found` if the text is not an id. */
export function readId(directory: Directory | Reach, text: string): string {
  const id = text.toLowerCase()
  if (!isId(id)) throw noSuchWebhook(directory)
  return id
}

/**
 * The error `webhook_not_found`. For a change with `scope: "environment"`, it explains that organizations' webhooks
 * are not found there.
 */
export function noSuchWebhook(directory: Directory | Reach): ApiError {
  if (!('kind' in directory) || directory.kind !== 'account') return webhookErrors.notFound()
  return webhookErrors.notFound({
    detail:
      'The environment has no such webhook. To change the webhook of an organization, send its subOrgId, which GET shows, instead of scope.',
  })
}

/** A page of the webhooks that the caller reaches. */
export async function listWebhooks({ db, reach }: ReachWork, page: Page): Promise<Found<WebhookRow>> {
  return selectWebhookPage(db, reach, page)
}

/** A webhook with its directory. Throws `webhook_not_found`, and `service_disabled` if the service is off there. */
export async function getWebhook(
  { platform, db, reach }: ReachWork,
  text: string,
): Promise<{ row: WebhookRow; directory: Directory }> {
  const row = await findWebhookRowInReach(db, reach, readId(reach, text))
  const directory = row && (await directoryInReach(platform, reach, row.directory_id))
  if (!row || !directory) throw webhookErrors.notFound()
  return { row, directory }
}

/** The latest deliveries, newest first. */
export async function listDeliveries(
  work: Pick<Work, 'db' | 'directory'>,
  webhookId: string,
  limit: number,
): Promise<WebhookDelivery[]> {
  return showDeliveries(work, await listDeliveryRows(work.db, work.directory, webhookId, limit))
}

export async function showDeliveries({ db }: Pick<Work, 'db'>, rows: DeliveryRow[]): Promise<WebhookDelivery[]> {
  const refs = rows.map((row) => ({ directoryId: row.event_directory_id, id: row.event_id }))
  const events = new Map((refs.length ? await findEvents(db, refs) : []).map((event) => [event.id, event]))
  return rows.map((row) => toDelivery(row, events.get(row.event_id) ?? null))
}

/** The fields that fit into a table cell. */
const COLUMNS = [
  ...(['id', 'eventId', 'eventType', 'status', 'attempt', 'responseStatus', 'error', 'durationMs', 'url'] as const),
  ...(['createdAt', 'nextAttemptAt'] as const),
]

/** The latest deliveries as a table. */
export async function tabulateDeliveries(
  { db, directory }: Pick<Work, 'db' | 'directory'>,
  webhookId: string,
  limit: number,
): Promise<Table> {
  const rows = await listDeliveryRows(db, directory, webhookId, limit)
  const shown = rows.map((row) => toDelivery(row, null))
  return asTable([COLUMNS, ...shown.map((delivery) => COLUMNS.map((column) => delivery[column]))])
}

/** Whether any webhook receives events of the directory. */
export function hasWebhook({ db, directory }: Pick<Work, 'db' | 'directory'>): Promise<boolean> {
  return hasEnabledRow(db, directory)
}
