import { defineEvents } from '../../../platform/events/events.ts'
import { ScimConfig } from './schema.ts'

export const scimEvents = defineEvents({
  enabled: ['scim.enabled', 'Provisioning was turned on.', ScimConfig],
  disabled: ['scim.disabled', 'Provisioning was turned off: its requests are refused.', ScimConfig],
  configUpdated: [
    'scim.config_updated',
    'The connection that gives roles, or what becomes of deprovisioned users, was changed.',
    ScimConfig,
  ],
  tokenRotated: ['scim.token_rotated', 'Provisioning got a new token.', ScimConfig],
})
