import { invalidField } from '../../../platform/errors.ts'
import { findEvents, positionBefore, readPlaces } from '../../../platform/events/event-places.ts'
import { recordOne } from '../../../platform/events/events.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { enqueue, type JobHandler } from '../../../platform/jobs/queue.ts'
import { countAct, idBytes, type RateLimit } from '../../../platform/limits/rate-limit.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import {
  findDeliveryRow,
  forgetDeliveries,
  putDeliveries,
  repeatDelivery,
  wakeQueues,
} from '../deliveries/delivery-store.ts'
import { listensTo, toNewDelivery } from '../deliveries/fan-out.ts'
import { KEPT_DAYS } from '../deliveries/limits.ts'
import { saveResults } from '../deliveries/outcome-store.ts'
import { attemptAll, rememberSecrets } from '../deliveries/serve.ts'
import { lockWebhook } from './changes.ts'
import { webhookErrors } from './errors.ts'
import { webhookEvents } from './events.ts'
import { FORGET, REPLAY } from './names.ts'
import { noSuchWebhook, readId, showDeliveries } from './reads.ts'
import type { WebhookDelivery } from './schema.ts'
import { findWebhookRow } from './store.ts'

// Longer than an attempt takes. If this process dies meanwhile, the queue sends the test.
const TEST_SECONDS = 60

/** Per webhook. A test waits for the receiver, which may be any server. */
const TESTS: RateLimit = { bucket: 'webhook.test', limit: 60, windowSeconds: 3600 }

/**
 * Sends a test event at once and returns the result. Disabled webhooks get it, too. Throws `webhook_not_found`,
 * `rate_limited`.
 */
export async function testWebhook(work: Work, text: string): Promise<{ success: boolean; delivery: WebhookDelivery }> {
  const { platform, directory } = work
  await countOf(work, text, TESTS)
  const delivery = await inTx(work, async (work) => {
    const { id: webhookId } = await lockWebhook(work, text)
    const target = { type: 'webhook', id: webhookId }
    const eventId = await recordOne(work, webhookEvents.test({ target, data: { webhookId } }))
    const eventType = webhookEvents.test.type
    const delivery = { id: newId(), webhookId, eventDirectoryId: directory.id, eventId, eventType }
    await putDeliveries(work.db, directory.id, [delivery], { dueSeconds: TEST_SECONDS })
    await wakeQueues(work.db, directory.id, [webhookId], TEST_SECONDS)
    return delivery
  })
  const webhook = await findWebhookRow(platform.db, directory, delivery.webhookId)
  const row = await findDeliveryRow(platform.db, directory, delivery.webhookId, delivery.id)
  if (!webhook || !row) throw webhookErrors.notFound()
  const secrets = await rememberSecrets({ platform, directory }, webhook.id)(webhook)
  let success = false
  await attemptAll(platform, {
    target: { id: webhook.id, url: webhook.url, secrets },
    rows: [row],
    async onDone({ result, outcome }) {
      success = outcome?.ok ?? false
      // The caller gets the result, so a failed test is not retried.
      const settled = { ...result, status: success ? 'succeeded' : 'failed', dueSeconds: null } as const
      await saveResults(platform.db, directory, [settled])
    },
  })
  return { success, delivery: await shown(work, row) }
}

async function shown(work: Work, { webhook_id, id }: { webhook_id: string; id: string }): Promise<WebhookDelivery> {
  const row = await findDeliveryRow(work.db, work.directory, webhook_id, id)
  const [delivery] = row ? await showDeliveries(work, [row]) : []
  if (!delivery) throw webhookErrors.deliveryNotFound()
  return delivery
}

/** Sends an event again. Throws `webhook_not_found`, `delivery_not_found`, `webhook_disabled`. */
export async function resendDelivery(work: Work, text: string, deliveryId: string): Promise<void> {
  await inTx(work, async (work) => {
    const { db, directory } = work
    const webhook = await lockWebhook(work, text)
    if (!webhook.enabled) throw webhookErrors.disabled()
    const id = deliveryId.toLowerCase()
    const row = isId(id) ? await findDeliveryRow(db, directory, webhook.id, id) : undefined
    if (!row) throw webhookErrors.deliveryNotFound()
    const ref = { directoryId: row.event_directory_id, id: row.event_id }
    if (!(await findEvents(db, [ref])).length) throw webhookErrors.deliveryNotFound()
    await repeatDelivery(db, directory, id)
    await wakeQueues(db, directory.id, [webhook.id])
  })
}

/** Per webhook, since each replay may send all events of a month again. */
const REPLAYS: RateLimit = { bucket: 'webhook.replay', limit: 10, windowSeconds: 3600 }

/**
 * Sends again the events that the webhook listens to, from `from` until `to` or now, with the same ids. Throws
 * `webhook_not_found`, `webhook_disabled`, `invalid_request`, `rate_limited`.
 */
export async function replayEvents(
  work: Work,
  text: string,
  { from, to }: { from: string; to?: string },
): Promise<void> {
  const { platform } = work
  // Process clock: limits how many days back a replay may begin.
  const now = platform.clock.now()
  const start = new Date(from)
  if (start.getTime() < now.getTime() - KEPT_DAYS * 24 * 3600_000)
    throw invalidField('from', 'too_early', `from must be at most ${KEPT_DAYS} days ago`)
  if (to !== undefined && new Date(to) < start) throw invalidField('to', 'too_early', 'to must not be before from')
  await countOf(work, text, REPLAYS)
  await inTx(work, async (work) => {
    const { db, directory } = work
    const webhook = await lockWebhook(work, text)
    if (!webhook.enabled) throw webhookErrors.disabled()
    const end = to === undefined ? now : new Date(Math.min(new Date(to).getTime(), now.getTime()))
    const span = { from: start.toISOString(), to: end.toISOString() }
    const position = await positionBefore(db, start)
    await enqueue(db, REPLAY, replayOf(directory.id, webhook.id, span, position))
  })
}

/** Counts a request for a webhook. Throws `webhook_not_found`, `rate_limited`. */
async function countOf(work: Work, text: string, limit: RateLimit): Promise<void> {
  const found = await findWebhookRow(work.db, work.directory, readId(work.directory, text))
  if (!found) throw noSuchWebhook(work.directory)
  await countAct(work, idBytes(found.id), [limit])
}

type Span = { from: string; to: string }

function replayOf(directoryId: string, webhookId: string, span: Span, at: { epoch: number; txId: string; id: string }) {
  return { directoryId, webhookId, ...span, epoch: String(at.epoch), txId: at.txId, eventId: at.id }
}

const REPLAYED = 500

/** Adds one part of a replay to the webhook's queue, and enqueues the next part. */
export const replayWebhook: JobHandler = {
  name: REPLAY,
  lane: 'slow',
  async handle(platform, payload) {
    const { directoryId, webhookId, from, to, epoch, txId, eventId } = payload
    const directory = await findDirectory(platform, String(directoryId))
    if (!directory) return
    const id = readId(directory, String(webhookId))
    await platform.tx(async (tx) => {
      const webhook = await findWebhookRow(tx, directory, id)
      if (!webhook?.enabled) return
      const sources =
        directory.kind === 'organization' ? { directoryId: directory.id } : { environmentId: directory.environmentId }
      const after = { epoch: Number(epoch), txId: String(txId), id: String(eventId) }
      const { places, end, hasMore } = await readPlaces(tx, sources, after, REPLAYED)
      const [first, last] = [new Date(String(from)), new Date(String(to))]
      const heard = places.filter(
        ({ type, createdAt }) => createdAt >= first && createdAt <= last && listensTo(webhook, type),
      )
      const kept = heard.length ? await findEvents(tx, heard) : []
      const keptIds = new Set(kept.map((event) => event.id))
      const sent = heard.filter((place) => keptIds.has(place.id))
      if (sent.length) {
        await putDeliveries(
          tx,
          directory.id,
          sent.map((place) => toNewDelivery(webhook, place)),
          { again: true },
        )
        await wakeQueues(tx, directory.id, [id])
      }
      const span = { from: String(from), to: String(to) }
      if (hasMore) await enqueue(tx, REPLAY, replayOf(directory.id, id, span, end))
    })
  },
}

const FORGOTTEN = 1000

/** Removes the deliveries of a deleted webhook, one batch at a time. */
export const forgetWebhook: JobHandler = {
  name: FORGET,
  lane: 'slow',
  async handle(platform, { directoryId, webhookId }) {
    const directory = await findDirectory(platform, String(directoryId))
    if (!directory) return
    while ((await forgetDeliveries(platform.db, directory, String(webhookId), FORGOTTEN)) === FORGOTTEN);
  },
}
