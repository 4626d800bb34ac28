import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { TEST_TYPE } from '../deliveries/limits.ts'
import { Webhook } from './schema.ts'

export const webhookEvents = defineEvents({
  created: ['webhook.created', 'A webhook was created.', Webhook],
  updated: ['webhook.updated', 'A webhook was changed, enabled or disabled by a request.', Webhook],
  deleted: ['webhook.deleted', 'A webhook was deleted.', Webhook],
  secretRotated: ['webhook.secret_rotated', 'A webhook got a new signing secret.', Webhook],
  disabled: [
    'webhook.disabled',
    'A webhook was disabled, because every delivery failed for 120 hours or its server answered 410.',
    Webhook,
  ],
  test: [
    TEST_TYPE,
    'A webhook is being tested. Only the tested webhook receives this event.',
    Type.Object({ webhookId: Type.String({ description: 'The webhook that was tested.', format: 'uuid' }) }),
  ],
})
