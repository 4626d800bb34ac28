import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** A webhook with a delivery. */
export interface WebhookRecords {
  ids: { webhook: string; delivery: string }
}

// A reserved address that never answers (RFC 2606).
const body = { name: 'Warehouse', url: 'https://hooks.invalid/watchword', events: ['user.*'] }

export async function makeRecords(_: TestApp, { scoped }: Start): Promise<WebhookRecords> {
  const { webhook } = succeeded(await scoped.post('/v1/webhooks', body))
  const { delivery } = succeeded(await scoped.post(`/v1/webhooks/${webhook.id}/test`))
  return { ids: { webhook: webhook.id, delivery: delivery.id } }
}

const one = ({ ids }: { ids: { webhook: string } }) => ({ params: { webhookId: ids.webhook } })

export const samples: Samples = {
  'GET /v1/webhooks': () => ({}),
  'POST /v1/webhooks': () => ({ body }),
  'GET /v1/webhooks/event-types': () => ({}),
  'GET /v1/webhooks/{webhookId}': (world) => ({ ...one(world), query: { deliveries: 'true' } }),
  'PATCH /v1/webhooks/{webhookId}': (world) => ({ ...one(world), body: { name: 'Lake' } }),
  'DELETE /v1/webhooks/{webhookId}': one,
  'POST /v1/webhooks/{webhookId}/rotate-secret': (world) => ({ ...one(world), body: { overlapSeconds: 60 } }),
  'POST /v1/webhooks/{webhookId}/test': one,
  'POST /v1/webhooks/{webhookId}/replay': (world) => ({ ...one(world), body: { from: new Date().toISOString() } }),
  'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend': ({ ids }) => ({
    params: { webhookId: ids.webhook, deliveryId: ids.delivery },
  }),
}
