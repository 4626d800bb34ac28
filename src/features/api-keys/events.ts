import { defineEvents } from '../../platform/events.ts'
import { ApiKey } from './schema.ts'

export const apiKeyEvents = defineEvents({
  created: [
    'api_key.created',
    'An API key was created, through the API or on the command line.',
    ApiKey,
    { target: null },
  ],
  rotated: [
    'api_key.rotated',
    'An API key was given a new secret; its rights are unchanged.',
    ApiKey,
    { target: null },
  ],
  revoked: [
    'api_key.revoked',
    'An API key was revoked, with any previous secrets that still worked.',
    ApiKey,
    { target: null, data: { revokedAt: '2026-11-22T10:20:00.000Z' } },
  ],
})
