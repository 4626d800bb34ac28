import { defineEvents } from '../../../platform/events/events.ts'
import { ApiKey } from './schema.ts'

export const apiKeyEvents = defineEvents({
  created: ['api_key.created', 'An API key was created, through the API or on the command line.', ApiKey],
  updated: ['api_key.updated', 'The name, scopes or allowed addresses of an API key were changed.', ApiKey],
  rotated: ['api_key.rotated', 'An API key got a new secret. The rights of the key are unchanged.', ApiKey],
  revoked: [
    'api_key.revoked',
    'An API key was revoked, together with any previous secrets that still worked.',
    ApiKey,
    { revokedAt: '2026-11-22T10:20:00.000Z' },
  ],
})
