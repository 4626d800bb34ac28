import { defineEvents } from '../../../platform/events/events.ts'
import { ApiKey } from './schema.ts'

export const apiKeyEvents = defineEvents({
  created: ['api_key.created', 'An API key was created, through the API or on the command line.', ApiKey],
  updated: ['api_key.updated', 'An API key got another name, other scopes or other addresses to use it from.', ApiKey],
  rotated: ['api_key.rotated', 'An API key was given a new secret; its rights are unchanged.', ApiKey],
  revoked: [
    'api_key.revoked',
    'An API key was revoked, with any previous secrets that still worked.',
    ApiKey,
    { revokedAt: '2026-11-22T10:20:00.000Z' },
  ],
})
