import { defineErrors } from '../../../platform/errors.ts'

export const apiKeyErrors = defineErrors({
  notFound: [404, 'api_key_not_found', 'API key not found', 'No API key has this id, or the caller cannot reach it.'],
  inactive: [
    409,
    'api_key_inactive',
    'The API key is inactive',
    'The key was revoked, has expired, or is the previous secret of a rotated key. An inactive key cannot be changed.',
  ],
})
