import { defineEvents } from '../../../platform/events/events.ts'
import { ScimConfig, ScimTokenExpiring } from './schema.ts'

export const scimEvents = defineEvents({
  enabled: ['scim.enabled', 'Provisioning was turned on.', ScimConfig],
  disabled: [
    'scim.disabled',
    'Provisioning was turned off. Requests of the provisioning client are refused.',
    ScimConfig,
  ],
  configUpdated: [
    'scim.config_updated',
    'The provisioning settings were changed: the connection whose mapping gives roles, or the handling of deprovisioned users.',
    ScimConfig,
  ],
  tokenRotated: ['scim.token_rotated', 'The SCIM token was replaced.', ScimConfig],
  tokenExpiring: [
    'scim.token_expiring',
    'The SCIM token expires in 30, 7 or 1 days, or has expired. After it expires, requests of the client are refused.',
    ScimTokenExpiring,
  ],
})
