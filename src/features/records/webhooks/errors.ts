import { defineErrors } from '../../../platform/errors.ts'
import { MAX_WEBHOOKS } from './limits.ts'

export const webhookErrors = defineErrors({
  notFound: [
    404,
    'webhook_not_found',
    'Webhook not found',
    'The organization has no such webhook. If its subOrgId is null, send scope: "environment".',
  ],
  deliveryNotFound: [
    404,
    'delivery_not_found',
    'Delivery not found',
    'The webhook has no such delivery, or it is older than 30 days.',
  ],
  disabled: [409, 'webhook_disabled', 'The webhook is disabled', 'PATCH enabled to true first.'],
  limitReached: [
    409,
    'webhook_limit_reached',
    'There are as many webhooks as allowed',
    `An organization has at most ${MAX_WEBHOOKS}, and so has an environment of its own: delete one.`,
  ],
  insecureUrl: [
    400,
    'insecure_url',
    'The address is not https',
    'Use https. WATCHWORD_OUTBOUND_ALLOW names hosts that may be reached without.',
  ],
  urlNotAllowed: [
    422,
    'webhook_url_not_allowed',
    'The address is of a private network',
    'Events are sent to public addresses, and to what the operator names in WATCHWORD_OUTBOUND_ALLOW.',
  ],
})
