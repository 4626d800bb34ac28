import { defineErrors } from '../../../platform/errors.ts'
import { MAX_WEBHOOKS } from './limits.ts'

export const webhookErrors = defineErrors({
  notFound: [
    404,
    'webhook_not_found',
    'Webhook not found',
    'The organization has no such webhook. For a webhook of the whole environment (subOrgId null), send scope: "environment".',
  ],
  deliveryNotFound: [
    404,
    'delivery_not_found',
    'Delivery not found',
    'The webhook has no such delivery, or it is older than 30 days.',
  ],
  disabled: [
    409,
    'webhook_disabled',
    'The webhook is disabled',
    'Set enabled to true first (PATCH /v1/webhooks/{webhookId}).',
  ],
  limitReached: [
    409,
    'webhook_limit_reached',
    'Too many webhooks',
    `An organization has at most ${MAX_WEBHOOKS} webhooks. An environment can have another ${MAX_WEBHOOKS} webhooks that receive events of all its organizations. Delete one first.`,
  ],
  insecureUrl: [
    400,
    'insecure_url',
    'The URL is not https',
    'Send an https URL. Only hosts that the operator lists in WATCHWORD_OUTBOUND_ALLOW may use http.',
  ],
  urlNotAllowed: [
    422,
    'webhook_url_not_allowed',
    'The URL resolves to a private address',
    'Events are sent only to public IP addresses and to hosts that the operator lists in WATCHWORD_OUTBOUND_ALLOW.',
  ],
})
