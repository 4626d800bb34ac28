import { defineErrors } from '../../../platform/errors.ts'

export const apiKeyErrors = defineErrors({
  notFound: [404, 'api_key_not_found', 'API key not found', 'There is no such key within the reach of yours.'],
  inactive: [
    409,
    'api_key_inactive',
    'The API key can no longer be changed',
    'The key was revoked, has expired, or is the old secret of a rotation.',
  ],
})
