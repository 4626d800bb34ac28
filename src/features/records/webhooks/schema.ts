import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { Name, named, nullable } from '../../../platform/schema.ts'

const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })

const name = { ...Name, examples: ['Data warehouse'] }
const Url = Type.String({ minLength: 1, maxLength: 2048, examples: ['https://hooks.example.com/watchword'] })
const Events = Type.Array(Type.String({ minLength: 1, maxLength: 100, examples: ['user.*'] }), {
  minItems: 1,
  maxItems: 200,
  description: 'Types, `user.*` for all with that prefix, `*` for all.',
})

export const Webhook = named(
  'Webhook',
  Type.Object({
    id: Id,
    subOrgId: nullable(Id, 'null: gets the events of the whole environment.'),
    name,
    url: Url,
    events: Type.Array(Type.String({ examples: ['user.*'] })),
    enabled: Type.Boolean(),
    status: Type.Enum(['active', 'failing', 'disabled']),
    disabledReason: Object.assign(nullable(Type.Enum(['failing', 'gone', 'request'])), { examples: [null] }),
    secretHint: Type.String({ examples: ['whsec_…9aF2'] }),
    lastDeliveryAt: nullable(Moment),
    consecutiveFailures: Type.Integer({ examples: [0] }),
    createdAt: Moment,
    updatedAt: Moment,
  }),
)
export type Webhook = Static<typeof Webhook>

export const WebhookDelivery = named(
  'WebhookDelivery',
  Type.Object({
    id: Id,
    eventId: Type.String({ examples: ['evt_0198b6f2-7c1b-7e05-8a63-c94d1b7f20e8'] }),
    eventType: Type.String({ examples: ['user.created'] }),
    attempt: Type.Integer({ description: 'How often it was sent.', examples: [1] }),
    status: Type.Enum(['pending', 'succeeded', 'failed'], { examples: ['succeeded'] }),
    responseStatus: nullable(Type.Integer({ examples: [200] })),
    responseBody: nullable(Type.String({ description: 'Its first KiB.', examples: ['ok'] })),
    error: Object.assign(nullable(Type.String()), { description: 'A code, such as `timeout`.', examples: [null] }),
    durationMs: nullable(Type.Integer({ examples: [42] })),
    url: nullable(Url),
    createdAt: Moment,
    nextAttemptAt: Object.assign(nullable(Moment), { examples: [null] }),
    request: Type.Object({
      headers: Type.Record(Type.String(), Type.String(), { examples: [{ 'webhook-timestamp': '1795392000' }] }),
      body: nullable(Type.String({ examples: ['{"type":"user.created"}'] })),
    }),
    attempts: Type.Array(
      Type.Object({
        at: Moment,
        responseStatus: nullable(Type.Integer()),
        error: nullable(Type.String()),
        durationMs: Type.Integer(),
      }),
      { description: 'The last 20, the newest last.', examples: [[]] },
    ),
  }),
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookCreate = Type.Object({ name, url: Url, events: Events })
export type WebhookCreate = Static<typeof WebhookCreate>
export const WebhookPatch = Type.Partial(Type.Object({ name, url: Url, events: Events, enabled: Type.Boolean() }))
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookParams = Type.Object({ webhookId: Type.String({ description: 'Webhook.' }) })
export const WebhookReply = named('WebhookReply', Type.Object({ webhook: Webhook }))
export const WebhookListReply = Type.Object({ webhooks: Type.Array(Webhook), ...listReply })
export const SecretReply = named(
  'WebhookSecretReply',
  Type.Object({
    webhook: Webhook,
    signingSecret: Type.String({
      description: 'Shown this once.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
  }),
)
export const DeliveryReply = named(
  'WebhookDeliveryReply',
  Type.Object({ success: Type.Boolean(), delivery: WebhookDelivery }),
)
