import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { TEST_TYPE } from '../deliveries/limits.ts'
import { Webhook } from './schema.ts'

export const webhookEvents = defineEvents({
  created: ['webhook.created', 'A webhook was made.', Webhook],
  updated: ['webhook.updated', 'A webhook was changed, or enabled or disabled on request.', Webhook],
  deleted: ['webhook.deleted', 'A webhook was deleted.', Webhook],
  secretRotated: ['webhook.secret_rotated', 'A webhook got a new signing secret.', Webhook],
  disabled: ['webhook.disabled', 'A webhook was disabled: it had only failed for 120 hours, or answered 410.', Webhook],
  test: [
    TEST_TYPE,
    'A test of a webhook, sent to that one alone.',
    Type.Object({ webhookId: Type.String({ description: 'The webhook that was tested.', format: 'uuid' }) }),
  ],
})
