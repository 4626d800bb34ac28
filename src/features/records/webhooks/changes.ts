import { now } from '../../../platform/db/now.ts'
import { httpErrors, invalidField } from '../../../platform/errors.ts'
import { currentPosition } from '../../../platform/events/event-places.ts'
import {
  changedFrom,
  type EventFactory,
  eventCatalogue,
  record,
  unknownTypes,
} from '../../../platform/events/events.ts'
import { matches, tagOf } from '../../../platform/http/precondition.ts'
import { newId } from '../../../platform/ids.ts'
import { enqueue } from '../../../platform/jobs/queue.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import { isPeerAddress, isPrivateUrl } from '../../../platform/outbound/url.ts'
import { defineSlot } from '../../../platform/platform.ts'
import { teamDirectory } from '../../../platform/tenancy/directory.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { hasListener, moveCursor, provideCursor } from '../deliveries/cursor-store.ts'
import { wakeQueues } from '../deliveries/delivery-store.ts'
import { provideQueue } from '../deliveries/queue-store.ts'
import { hintOf, newSecret } from '../deliveries/signature.ts'
import { disabledMail } from './emails.ts'
import { webhookErrors } from './errors.ts'
import { webhookEvents } from './events.ts'
import { MAX_WEBHOOKS } from './limits.ts'
import { FORGET } from './names.ts'
import { noSuchWebhook, readId } from './reads.ts'
import type { Webhook, WebhookCreate, WebhookPatch } from './schema.ts'
import { sealSecret } from './secret.ts'
import {
  countWebhookRows,
  deleteWebhookRow,
  findWebhookRow,
  insertWebhookRow,
  lockWebhookRow,
  rotated,
  updateWebhookRow,
  type WebhookRow,
} from './store.ts'
import { toWebhook } from './view.ts'

/** Creates a webhook and its secret. Throws `insecure_url`, `webhook_url_not_allowed`, `webhook_limit_reached`. */
export async function createWebhook(
  work: Work,
  body: WebhookCreate,
): Promise<{ webhook: Webhook; signingSecret: string }> {
  assertUrl(work, body.url)
  assertTypes(body.events)
  return inTx(work, async (work) => {
    const { platform, db, directory } = work
    if ((await countWebhookRows(db, directory)) >= MAX_WEBHOOKS) throw webhookErrors.limitReached()
    const [id, signingSecret] = [newId(), newSecret()]
    await listen(work)
    await insertWebhookRow(db, directory, {
      id,
      name: body.name,
      url: body.url,
      events: [...new Set(body.events)],
      secret_sealed: await sealSecret(platform, { accountId: directory.accountId, id }, signingSecret),
      secret_hint: hintOf(signingSecret),
    })
    await provideQueue(db, directory, id)
    return { webhook: await tell(work, id, webhookEvents.created), signingSecret }
  })
}

/** Changes the given fields. Throws `webhook_not_found`, `version_conflict`, and what `createWebhook` throws. */
export async function changeWebhook(
  work: Work & { ifMatch: string | null },
  text: string,
  body: WebhookPatch,
): Promise<{ webhook: Webhook; version: number }> {
  if (body.url !== undefined) assertUrl(work, body.url)
  if (body.events !== undefined) assertTypes(body.events)
  return inTx(work, async (work) => {
    const { db, directory } = work
    const before = await lockWebhook(work, text)
    if (!matches(work.ifMatch, tagOf(before))) throw httpErrors.versionConflict()
    const isEnabled = body.enabled === true && !before.enabled
    if (isEnabled) await listen(work)
    const { name, url, enabled, events } = body
    const reason = enabled === undefined || enabled === before.enabled ? before.disabled_reason : 'request'
    await updateWebhookRow(db, directory, before.id, {
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events: [...new Set(events)] }),
      ...(enabled === undefined ? {} : { enabled, disabled_reason: enabled ? null : reason }),
      ...(isEnabled ? { listening_since: now } : {}),
    })
    if (isEnabled) await wakeQueues(db, directory.id, [before.id])
    const webhook = await tell(work, before.id, webhookEvents.updated, before)
    return { webhook, version: before.version + 1 }
  })
}

/** Gives a webhook a new secret. The previous secret also signs for `overlapSeconds`. Throws `webhook_not_found`. */
export async function rotateSecret(
  work: Work,
  text: string,
  overlapSeconds: number,
): Promise<{ webhook: Webhook; signingSecret: string }> {
  return inTx(work, async (work) => {
    const { platform, db, directory } = work
    const { id } = await lockWebhook(work, text)
    const signingSecret = newSecret()
    const sealed = await sealSecret(platform, { accountId: directory.accountId, id }, signingSecret)
    await updateWebhookRow(db, directory, id, rotated(sealed, hintOf(signingSecret), overlapSeconds))
    return { webhook: await tell(work, id, webhookEvents.secretRotated), signingSecret }
  })
}

// Slot: the team belongs to `tenancy`, which `records` may not import.
/** The addresses of team members who look after an account's webhooks. */
export const noticeReceivers = defineSlot<(accountId: string) => Promise<string[]>>(
  'who hears of webhooks that were disabled',
)

/** Disables an endpoint that no longer works, and mails the team. Does nothing if it is already disabled. */
export async function disableWebhook(work: Work, id: string, reason: 'failing' | 'gone'): Promise<void> {
  const { platform, directory } = work
  const receivers = await noticeReceivers.of(platform)(directory.accountId)
  const { locale } = await teamDirectory(platform, directory.accountId)
  await inTx(work, async (work) => {
    const { db } = work
    const isThere = await lockWebhookRow(db, directory, id)
    const before = isThere ? await findWebhookRow(db, directory, id) : undefined
    if (!before?.enabled) return
    await updateWebhookRow(db, directory, id, { enabled: false, disabled_reason: reason })
    const after = await findWebhookRow(db, directory, id)
    if (!after) return
    const data = toWebhook(after)
    const previous = changedFrom(toWebhook(before), data)
    await record(work, webhookEvents.disabled({ target: { type: 'webhook', id }, data, previous }))
    const about = { name: after.name, url: after.url, isGone: reason === 'gone' }
    // In the team's language, which may differ from the organization's.
    for (const email of receivers)
      await queueMail(work, disabledMail({ email, locale: locale ?? 'en' }, about), NOTICE_USEFUL_SECONDS)
  })
}

/** Deletes a webhook, which then gets no more events. Throws `webhook_not_found` and `version_conflict`. */
export async function deleteWebhook(work: Work & { ifMatch: string | null }, text: string): Promise<void> {
  await inTx(work, async (work) => {
    const { db, directory } = work
    const before = await lockWebhook(work, text)
    if (!matches(work.ifMatch, tagOf(before))) throw httpErrors.versionConflict()
    const { id } = before
    await tell(work, id, webhookEvents.deleted)
    await deleteWebhookRow(db, directory, id)
    await enqueue(db, FORGET, { directoryId: directory.id, webhookId: id })
  })
}

/** A webhook of the directory, locked until the transaction ends. Throws `webhook_not_found`. */
export async function lockWebhook({ db, directory }: TxWork, text: string): Promise<WebhookRow> {
  const id = readId(directory, text)
  const row = (await lockWebhookRow(db, directory, id)) ? await findWebhookRow(db, directory, id) : undefined
  if (!row) throw noSuchWebhook(directory)
  return row
}

/** The environment's first enabled webhook begins at the current position, so that no earlier events are read. */
async function listen({ db, directory }: TxWork): Promise<void> {
  const position = await currentPosition(db)
  await provideCursor(db, directory.environmentId, position)
  if (!(await hasListener(db, directory.environmentId))) await moveCursor(db, directory.environmentId, position)
}

async function tell(
  work: TxWork,
  id: string,
  event: EventFactory<typeof Webhook>,
  before?: WebhookRow,
): Promise<Webhook> {
  const row = await findWebhookRow(work.db, work.directory, id)
  if (!row) throw webhookErrors.notFound()
  const data = toWebhook(row)
  const previous = before ? { previous: changedFrom(toWebhook(before), data) } : {}
  await record(work, event({ target: { type: 'webhook', id }, data, ...previous }))
  return data
}

function assertUrl({ platform: { config } }: Work, url: string): void {
  if (isPeerAddress(config, url)) {
    if (isPrivateUrl(config, url)) throw webhookErrors.urlNotAllowed()
    return
  }
  if (/^http:/i.test(url) && isPeerAddress(config, url.replace(/^http:/i, 'https:'))) throw webhookErrors.insecureUrl()
  throw invalidField('url', 'url', 'url must be a complete https address without user name and fragment')
}

/** Throws `invalid_request` for unknown event types, with a list of the known ones. */
function assertTypes(events: readonly string[]): void {
  const unknown = unknownTypes(events)
  if (!unknown.length) return
  const message = `events names unknown types: ${unknown.map((name) => JSON.stringify(name)).join(', ')}`
  const known = eventCatalogue().map(({ type }) => type)
  throw invalidField('events', 'enum', message, `${message}. Known types: ${known.join(', ')}.`)
}
