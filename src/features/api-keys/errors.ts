import { defineErrors } from '../../platform/errors.ts'

export const apiKeyErrors = defineErrors({
  privilegeEscalation: [
    403,
    'privilege_escalation',
    'The new key would be able to do more than yours',
    'A key passes on only what it holds itself: scopes, organization, environment, expiry and rate.',
  ],
  notFound: [404, 'api_key_not_found', 'API key not found', 'There is no such key in the reach of yours.'],
  inactive: [
    409,
    'api_key_inactive',
    'The API key cannot be rotated any more',
    'The key was revoked, has expired, or is the old secret of a rotation.',
  ],
})
