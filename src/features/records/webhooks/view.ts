import type { StreamedEvent } from '../../../platform/events/event-rows.ts'
import { bodyOf } from '../deliveries/attempt.ts'
import type { DeliveryRow } from '../deliveries/delivery-store.ts'
import type { Webhook, WebhookDelivery } from './schema.ts'
import type { WebhookRow } from './store.ts'

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    subOrgId: row.organization_id,
    name: row.name,
    url: row.url,
    events: row.events,
    enabled: row.enabled,
    status: row.enabled ? (row.consecutive_failures > 0 ? 'failing' : 'active') : 'disabled',
    disabledReason: reasonOf(row.disabled_reason),
    secretHint: row.secret_hint,
    lastDeliveryAt: row.last_delivery_at?.toISOString() ?? null,
    consecutiveFailures: row.consecutive_failures,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

function reasonOf(text: string | null): Webhook['disabledReason'] {
  return text === 'failing' || text === 'gone' || text === 'request' ? text : null
}

/** A delivery with the body that was sent. The body is null if the event is no longer kept. */
export function toDelivery(row: DeliveryRow, event: StreamedEvent | null): WebhookDelivery {
  return {
    id: row.id,
    eventId: `evt_${row.event_id}`,
    eventType: row.event_type,
    attempt: row.attempt,
    status: row.status === 'succeeded' || row.status === 'failed' ? row.status : 'pending',
    responseStatus: row.response_status,
    responseBody: row.response_body,
    error: row.error,
    durationMs: row.duration_ms,
    url: row.url,
    createdAt: row.created_at.toISOString(),
    nextAttemptAt: row.due_at?.toISOString() ?? null,
    request: { headers: Object(row.request_headers ?? {}), body: event && bodyOf(event) },
    attempts: Array.isArray(row.attempts) ? row.attempts.map((each) => Object(each)) : [],
  }
}
