import { Type } from 'typebox'
import { MAX_ACCESS_TOKEN_SECONDS } from '../../../platform/crypto/signing-keys.ts'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/**
 * Must be less than the value that `users.sessions_at_most` has while a user's number of sessions is unknown. The
 * sessions of such a user are then always counted.
 */
const MAX_LIMIT = 1000

/** Lifetimes of sessions and access tokens, and how many sessions a user may have. */
export const sessionSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    access_token_ttl_seconds: Type.Integer({
      minimum: 60,
      maximum: MAX_ACCESS_TOKEN_SECONDS,
      description:
        'Lifetime of an access token, in seconds. Services that verify tokens offline can accept a token of an ended session for this long.',
    }),
    session_idle_timeout_seconds: Type.Integer({
      minimum: 300,
      maximum: 90 * DAY,
      description: 'A session ends if it is not refreshed for this many seconds.',
    }),
    session_max_lifetime_seconds: Type.Integer({
      minimum: 300,
      maximum: 365 * DAY,
      description: 'A session ends after this many seconds, even if it is in use.',
    }),
    max_concurrent_sessions: Type.Integer({
      minimum: 0,
      maximum: MAX_LIMIT,
      description: 'Maximum number of concurrent sessions per user. 0: no limit.',
    }),
    concurrent_session_policy: Type.Enum(['revoke_oldest', 'deny_new'], {
      description: 'What happens when a sign-in exceeds max_concurrent_sessions.',
    }),
  }),
  {
    access_token_ttl_seconds: HOUR,
    session_idle_timeout_seconds: 7 * DAY,
    session_max_lifetime_seconds: 30 * DAY,
    max_concurrent_sessions: 100,
    concurrent_session_policy: 'revoke_oldest',
  },
)
