import { defineEvents } from '../../../platform/events/events.ts'
import { ScimConfig, ScimTokenExpiring } from './schema.ts'

export const scimEvents = defineEvents({
  enabled: ['scim.enabled', 'Provisioning was turned on.', ScimConfig],
  disabled: ['scim.disabled', 'Provisioning was turned off: its requests are refused.', ScimConfig],
  configUpdated: [
    'scim.config_updated',
    'The connection that gives roles, or what becomes of deprovisioned users, was changed.',
    ScimConfig,
  ],
  tokenRotated: ['scim.token_rotated', 'Provisioning got a new token.', ScimConfig],
  tokenExpiring: [
    'scim.token_expiring',
    'The token of provisioning expires in 30, 7 or 1 days, or has expired: the client is refused from then on.',
    ScimTokenExpiring,
  ],
})
