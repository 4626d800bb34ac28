import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { described, Name, named, nullable } from '../../../platform/schema.ts'

const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })

const name = described(
  { ...Name, examples: ['Data warehouse'] },
  'Name that administrators see. The name does not have to be unique.',
)
const Url = Type.String({
  description: 'The https URL that receives the events. The host must be public.',
  minLength: 1,
  maxLength: 2048,
  examples: ['https://hooks.example.com/watchword'],
})
const Events = Type.Array(Type.String({ minLength: 1, maxLength: 100, examples: ['user.*'] }), {
  minItems: 1,
  maxItems: 200,
  description:
    'Event types that the webhook receives. `user.*` stands for all types with this prefix, and `*` for all types.',
})

export const Webhook = named(
  'Webhook',
  Type.Object(
    {
      id: Id,
      subOrgId: nullable(Id, 'The organization whose events it receives. Null: the whole environment.'),
      name,
      url: Url,
      events: Type.Array(Type.String({ examples: ['user.*'] }), {
        description:
          'Event types that the webhook receives. `user.*` stands for all types with this prefix, and `*` for all types.',
      }),
      enabled: Type.Boolean({ description: 'Whether events are sent. `false` stops new and pending deliveries.' }),
      status: Type.Enum(['active', 'failing', 'disabled'], {
        description:
          '`active`: the latest attempt succeeded, or none was made yet. `failing`: the latest attempt failed. `disabled`: nothing is sent.',
      }),
      disabledReason: Object.assign(nullable(Type.Enum(['failing', 'gone', 'request'])), {
        description:
          'Why the webhook is disabled. `failing`: no delivery succeeded for 120 hours. `gone`: the receiver answered 410. `request`: a request disabled the webhook. Null: the webhook is enabled.',
        examples: [null],
      }),
      secretHint: Type.String({ description: 'The last characters of the signing secret.', examples: ['whsec_…9aF2'] }),
      lastDeliveryAt: nullable(Moment, 'When a delivery was last attempted. Null: never.'),
      consecutiveFailures: Type.Integer({
        description: 'Number of failed attempts since the last successful one.',
        examples: [0],
      }),
      createdAt: Moment,
      updatedAt: Moment,
    },
    { description: 'One of your endpoints, which receives events.' },
  ),
)
export type Webhook = Static<typeof Webhook>

export const WebhookDelivery = named(
  'WebhookDelivery',
  Type.Object(
    {
      id: Id,
      eventId: Type.String({
        description: 'The event: `id` in the feed, and the header `webhook-id`.',
        examples: ['evt_0198b6f2-7c1b-7e05-8a63-c94d1b7f20e8'],
      }),
      eventType: Type.String({
        description: 'The type of the event, such as `user.created`.',
        examples: ['user.created'],
      }),
      attempt: Type.Integer({ description: 'Number of attempts so far.', examples: [1] }),
      status: Type.Enum(['pending', 'succeeded', 'failed'], {
        description: '`pending`: another attempt follows. `succeeded`: a 2xx response. `failed`: no further attempt.',
        examples: ['succeeded'],
      }),
      responseStatus: nullable(
        Type.Integer({ examples: [200] }),
        'HTTP status of the latest response. Null: no response yet.',
      ),
      responseBody: nullable(
        Type.String({ description: 'The first KiB of the response body. Null: no response.', examples: ['ok'] }),
      ),
      error: Object.assign(nullable(Type.String()), {
        description: 'Why the latest attempt failed: a code such as `timeout`. Null: the latest attempt did not fail.',
        examples: [null],
      }),
      durationMs: nullable(
        Type.Integer({ examples: [42] }),
        'Time until the latest response or failure, in milliseconds. Null: not sent yet.',
      ),
      url: nullable(Url, 'URL of the latest attempt. Null: not sent yet.'),
      createdAt: Moment,
      nextAttemptAt: Object.assign(nullable(Moment), {
        description: 'When the next attempt is made. Null: no further attempt.',
        examples: [null],
      }),
      request: Type.Object(
        {
          headers: Type.Record(Type.String(), Type.String(), {
            description: 'Headers of the request. Signatures are shortened.',
            examples: [{ 'webhook-timestamp': '1795392000' }],
          }),
          body: nullable(
            Type.String({ examples: ['{"type":"user.created"}'] }),
            'JSON text of the request. Null: the event is no longer kept.',
          ),
        },
        { description: 'The latest request.' },
      ),
      attempts: Type.Array(
        Type.Object({
          at: described(Moment, 'When the request was sent.'),
          responseStatus: nullable(Type.Integer(), 'HTTP status of the response. Null: no response.'),
          error: nullable(
            Type.String(),
            'Why the attempt failed, such as `timeout`. Null if the attempt succeeded or `responseStatus` shows the reason.',
          ),
          durationMs: Type.Integer({ description: 'Time until the response or the failure, in milliseconds.' }),
        }),
        { description: 'The latest 20 attempts, the newest one last.', examples: [[]] },
      ),
    },
    { description: 'The delivery of an event to a webhook.' },
  ),
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookCreate = Type.Object({ name, url: Url, events: Events })
export type WebhookCreate = Static<typeof WebhookCreate>
export const WebhookPatch = Type.Partial(
  Type.Object({
    name,
    url: Url,
    events: Events,
    enabled: Type.Boolean({
      description: '`true`: pending deliveries are sent and deliveries resume. `false`: all deliveries stop.',
    }),
  }),
)
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookParams = Type.Object({
  webhookId: Type.String({ description: 'Webhook: `id` in `GET /v1/webhooks`.' }),
})
export const WebhookReply = named('WebhookReply', Type.Object({ webhook: Webhook }))
export const WebhookListReply = Type.Object({
  webhooks: Type.Array(Webhook, { description: 'Webhooks that the caller may see.' }),
  ...listReply,
})
export const SecretReply = named(
  'WebhookSecretReply',
  Type.Object({
    webhook: Webhook,
    signingSecret: Type.String({
      description: 'Secret that verifies the signatures of deliveries. The secret is shown only in this response.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
  }),
)
export const DeliveryReply = named(
  'WebhookDeliveryReply',
  Type.Object({
    success: Type.Boolean({ description: 'Whether the receiver answered with a 2xx status.' }),
    delivery: WebhookDelivery,
  }),
)
