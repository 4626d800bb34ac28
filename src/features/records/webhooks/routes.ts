import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { eventCatalogue } from '../../../platform/events/events.ts'
import { byAge, finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { tagOf } from '../../../platform/http/precondition.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { Success } from '../../../platform/schema.ts'
import { namesEnvironment } from '../../../platform/tenancy/named-organization.ts'
import { changeWebhook, createWebhook, deleteWebhook, rotateSecret } from './changes.ts'
import { webhookErrors } from './errors.ts'
import { webhookEvents } from './events.ts'
import { getWebhook, listDeliveries, listWebhooks, noSuchWebhook, tabulateDeliveries } from './reads.ts'
import { replayEvents, resendDelivery, testWebhook } from './repeat.ts'
import {
  DeliveryReply,
  SecretReply,
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookListReply,
  WebhookParams,
  WebhookPatch,
  WebhookReply,
} from './schema.ts'
import { toWebhook } from './view.ts'

const about = { tag: 'Webhooks', service: 'webhooks' } as const
const change = { ...about, scope: 'webhooks.manage', directory: 'one-or-environment' } as const
const one = { ...change, params: WebhookParams, errors: [webhookErrors.notFound] }

const [LISTED, MOST_LISTED, MOST_TABULATED] = [50, 200, 1000]
const DAY_SECONDS = 24 * 3600

export const webhookRoutes: Route[] = [
  defineRoute({
    ...about,
    method: 'GET',
    path: '/v1/webhooks',
    operation: 'webhooks.list',
    scope: 'webhooks.read',
    directory: 'reach',
    summary: 'List webhooks',
    query: Type.Object(listQuery),
    reply: WebhookListReply,
    async handle(work, { query }) {
      const page = readPage(work.platform, '/v1/webhooks', query)
      const { rows, reply } = finishPage(work, page, await listWebhooks(work, page), byAge)
      return { webhooks: rows.map(toWebhook), ...reply }
    },
  }),
  defineRoute({
    ...change,
    method: 'POST',
    path: '/v1/webhooks',
    operation: 'webhooks.create',
    summary: 'Create a webhook',
    description:
      'With `subOrgId`, the webhook receives the events of that organization. With `scope: "environment"`, which requires an org-wide key (not limited to one organization), it receives the events of the whole environment.',
    body: WebhookCreate,
    reply: SecretReply,
    errors: [webhookErrors.insecureUrl, webhookErrors.urlNotAllowed, webhookErrors.limitReached],
    event: webhookEvents.created,
    handle: (work, { body }) => createWebhook(work, body),
  }),
  defineRoute({
    ...about,
    method: 'GET',
    path: '/v1/webhooks/event-types',
    operation: 'webhooks.listEventTypes',
    scope: 'webhooks.read',
    directory: 'reach',
    summary: 'List event types',
    reply: Type.Object({
      eventTypes: Type.Array(
        Type.Object({
          type: Type.String({ description: 'The type, for `events` of a webhook.', examples: ['user.created'] }),
          description: Type.String({ description: 'When the event happens.', examples: ['A user was created.'] }),
        }),
        { description: 'Every type that a webhook can subscribe to, sorted.' },
      ),
    }),
    handle: async () => ({ eventTypes: eventCatalogue().map(({ type, help }) => ({ type, description: help })) }),
  }),
  defineRoute({
    ...about,
    method: 'GET',
    path: '/v1/webhooks/{webhookId}',
    operation: 'webhooks.get',
    scope: 'webhooks.read',
    directory: 'reach',
    summary: 'Read a webhook',
    params: WebhookParams,
    query: Type.Object({
      deliveries: Type.Optional(
        Type.Boolean({ description: 'Adds the latest deliveries, newest first. Default `false`.' }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: `Maximum number of deliveries. Default ${LISTED}. At most ${MOST_LISTED}, or ${MOST_TABULATED} as CSV.`,
        }),
      ),
      format: Type.Optional(
        Type.Enum(['json', 'csv'], { description: '`csv` returns only the deliveries, like `Accept: text/csv`.' }),
      ),
      scope: Type.Optional(
        Type.Enum(['environment'], {
          description: 'Matches only webhooks of the whole environment. Required to change such a webhook.',
        }),
      ),
    }),
    reply: Type.Object({
      webhook: Webhook,
      deliveries: Type.Array(WebhookDelivery, {
        description: 'The latest deliveries, newest first. Empty without `deliveries=true`.',
      }),
    }),
    errors: [webhookErrors.notFound, httpErrors.subOrgConflict],
    etag: true,
    csv: true,
    async handle(work, { params, query }) {
      const isOfEnvironment = namesEnvironment(work.caller, query, null)
      const { row, directory } = await getWebhook(work, params.webhookId)
      if (isOfEnvironment && directory.kind !== 'account') throw noSuchWebhook(directory)
      const { limit = LISTED } = query
      const of = { db: work.db, directory }
      if (query.format === 'csv' || (query.format === undefined && /^text\/csv\b/i.test(work.accept)))
        return tabulateDeliveries(of, row.id, Math.min(limit, MOST_TABULATED))
      work.headers.etag = tagOf(row)
      const deliveries = query.deliveries ? await listDeliveries(of, row.id, Math.min(limit, MOST_LISTED)) : []
      return { webhook: toWebhook(row), deliveries }
    },
  }),
  defineRoute({
    ...one,
    method: 'PATCH',
    path: '/v1/webhooks/{webhookId}',
    operation: 'webhooks.update',
    summary: 'Change a webhook',
    body: WebhookPatch,
    reply: WebhookReply,
    errors: [...one.errors, webhookErrors.insecureUrl, webhookErrors.urlNotAllowed, httpErrors.versionConflict],
    event: webhookEvents.updated,
    etag: true,
    async handle(work, { params, body }) {
      const { webhook, version } = await changeWebhook(work, params.webhookId, body)
      work.headers.etag = tagOf({ version })
      return { webhook }
    },
  }),
  defineRoute({
    ...one,
    method: 'DELETE',
    path: '/v1/webhooks/{webhookId}',
    operation: 'webhooks.delete',
    summary: 'Delete a webhook',
    reply: Success,
    errors: [...one.errors, httpErrors.versionConflict],
    event: webhookEvents.deleted,
    async handle(work, { params }) {
      await deleteWebhook(work, params.webhookId)
      return { success: true }
    },
  }),
  defineRoute({
    ...one,
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/rotate-secret',
    operation: 'webhooks.rotateSecret',
    summary: 'Rotate a webhook secret',
    body: Type.Object({
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 7 * DAY_SECONDS,
          default: DAY_SECONDS,
          description: 'Seconds for which deliveries are also signed with the old secret.',
        }),
      ),
    }),
    reply: SecretReply,
    event: webhookEvents.secretRotated,
    handle: (work, { params, body }) => rotateSecret(work, params.webhookId, body.overlapSeconds ?? DAY_SECONDS),
  }),
  defineRoute({
    ...one,
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/test',
    operation: 'webhooks.test',
    summary: 'Test a webhook',
    description: 'Sends the event `webhook.test` immediately, without retries. At most 60 tests an hour.',
    reply: DeliveryReply,
    event: webhookEvents.test,
    // This waits for the receiver's response, which must not happen in a transaction.
    idempotency: false,
    handle: (work, { params }) => testWebhook(work, params.webhookId),
  }),
  defineRoute({
    ...one,
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/replay',
    operation: 'webhooks.replayEvents',
    summary: 'Replay events',
    description:
      'Sends the events since `from` again, with the same ids. `from` can be at most 30 days ago. At most 10 replays an hour.',
    body: Type.Object({
      from: Type.String({
        description: 'Events from this time on are sent again. At most 30 days ago.',
        format: 'date-time',
      }),
      to: Type.Optional(Type.String({ format: 'date-time', description: 'Events up to this time. Default: now.' })),
    }),
    reply: Success,
    errors: [...one.errors, webhookErrors.disabled],
    async handle(work, { params, body }) {
      await replayEvents(work, params.webhookId, body)
      return { success: true }
    },
  }),
  defineRoute({
    ...one,
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend',
    operation: 'webhooks.resendDelivery',
    summary: 'Resend a delivery',
    params: Type.Object({
      ...WebhookParams.properties,
      deliveryId: Type.String({ description: 'Delivery: `id` in the deliveries of the webhook.' }),
    }),
    reply: Success,
    errors: [...one.errors, webhookErrors.disabled, webhookErrors.deliveryNotFound],
    async handle(work, { params }) {
      await resendDelivery(work, params.webhookId, params.deliveryId)
      return { success: true }
    },
  }),
]
