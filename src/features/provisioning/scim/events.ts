import { defineEvents } from '../../../platform/events/events.ts'
import { ScimConfig, ScimTokenExpiring } from './schema.ts'

export const scimEvents = defineEvents({
  enabled: ['scim.enabled', 'Provisioning was turned on.', ScimConfig],
  disabled: ['scim.disabled', 'Provisioning was turned off. Its requests are refused.', ScimConfig],
  configUpdated: [
    'scim.config_updated',
    'The connection that gives roles, or the handling of deprovisioned users, was changed.',
    ScimConfig,
  ],
  tokenRotated: ['scim.token_rotated', 'The SCIM token was replaced.', ScimConfig],
  tokenExpiring: [
    'scim.token_expiring',
    'The SCIM token expires in 30, 7 or 1 days, or has expired. After it expires, requests of the client are refused.',
    ScimTokenExpiring,
  ],
})
