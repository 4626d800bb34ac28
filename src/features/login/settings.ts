import { type Static, Type } from 'typebox'
import { MAX_ACCESS_TOKEN_SECONDS } from '../../platform/crypto/signing-keys.ts'
import { defineSettings } from '../../platform/settings.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Settings of sign-up and sessions (snake_case on the wire, as all settings are). */
export const AuthSettings = Type.Object({
  allow_sign_up: Type.Boolean({ description: 'Whether people may sign up at all.' }),
  open_signup_default: Type.Boolean({
    description: 'Whether a sign-up that does not say `openSignup` makes a user for an unknown address.',
  }),
  access_token_ttl_seconds: Type.Integer({
    minimum: 60,
    maximum: MAX_ACCESS_TOKEN_SECONDS,
    description: 'Life of an access token: how long a revoked session may still be accepted by offline verifiers.',
  }),
  session_idle_timeout_seconds: Type.Integer({
    minimum: 300,
    maximum: 90 * DAY,
    description: 'A session that is not refreshed for so long ends.',
  }),
  session_max_lifetime_seconds: Type.Integer({
    minimum: 300,
    maximum: 365 * DAY,
    description: 'A session ends after this time however much it is used.',
  }),
  max_concurrent_sessions: Type.Union([Type.Integer({ minimum: 1, maximum: 1000 }), Type.Null()], {
    description: 'Sessions a user may have at once; null: no limit.',
  }),
  concurrent_session_policy: Type.Enum(['revoke_oldest', 'deny_new'], {
    description: 'What happens to a sign-in beyond the limit.',
  }),
  refresh_reuse_interval_seconds: Type.Integer({
    minimum: 0,
    maximum: 60,
    description: 'A refresh token sent again this soon, as after a lost answer, gets the same successor once more.',
  }),
})

export type AuthSettings = Static<typeof AuthSettings>

export const authSettings = defineSettings('auth_settings', AuthSettings, {
  allow_sign_up: true,
  open_signup_default: false,
  access_token_ttl_seconds: HOUR,
  session_idle_timeout_seconds: 7 * DAY,
  session_max_lifetime_seconds: 30 * DAY,
  max_concurrent_sessions: null,
  concurrent_session_policy: 'revoke_oldest',
  refresh_reuse_interval_seconds: 10,
})
