import { type Static, Type } from 'typebox'
import { MAX_ACCESS_TOKEN_SECONDS } from '../../platform/crypto/signing-keys.ts'
import { defineSettings } from '../../platform/settings.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Settings of sign-in, sign-up and sessions (snake_case on the wire, as all settings are). */
export const AuthSettings = Type.Object({
  allow_sign_up: Type.Boolean({ description: 'Whether people may sign up at all.' }),
  open_signup_default: Type.Boolean({
    description: 'Whether a sign-up that does not say `openSignup` makes a user for an unknown address.',
  }),
  require_email_verification: Type.Boolean({
    description:
      'Whether a password opens a session only once the address is verified, and a sign-up only by proof of the mailbox.',
  }),
  email_password_enabled: Type.Boolean({ description: 'Whether people may sign in and up with a password.' }),
  password_reset_enabled: Type.Boolean({ description: 'Whether forgotten passwords may be reset by mail.' }),
  password_min_length: Type.Integer({ minimum: 8, maximum: 128, description: 'Characters.' }),
  password_max_length: Type.Integer({ minimum: 64, maximum: 1024, description: 'Characters.' }),
  password_breach_check: Type.Boolean({
    description: 'Whether common and breached passwords are refused, by a list that the service brings along.',
  }),
  password_history: Type.Integer({
    minimum: 0,
    maximum: 24,
    description: 'How many of the last passwords, the present one included, may not be chosen again.',
  }),
  password_hash_memory_kib: Type.Integer({
    minimum: 19_456,
    maximum: 262_144,
    description: 'Memory of argon2id, in KiB. Stored passwords follow at the next sign-in.',
  }),
  password_hash_iterations: Type.Integer({ minimum: 2, maximum: 10, description: 'Passes of argon2id.' }),
  password_hash_parallelism: Type.Integer({ minimum: 1, maximum: 4, description: 'Lanes of argon2id.' }),
  lockout_enabled: Type.Boolean({ description: 'Whether wrong passwords lock an address.' }),
  lockout_max_attempts: Type.Integer({
    minimum: 3,
    maximum: 100,
    description:
      'Wrong passwords until a lock: from one network, where X-End-User-IP tells it, and five times as many from all.',
  }),
  lockout_window_seconds: Type.Integer({ minimum: 60, maximum: DAY, description: 'They count for so long.' }),
  lockout_duration_seconds: Type.Integer({
    minimum: 60,
    maximum: HOUR,
    description: 'The first lock; each further one lasts twice as long, an hour at most.',
  }),
  magic_link_ttl_seconds: Type.Integer({ minimum: 60, maximum: 600, description: 'Life of a sign-in link.' }),
  magic_link_rate_limit_per_minute: Type.Integer({ minimum: 1, maximum: 60, description: 'Links to one address.' }),
  magic_link_rate_limit_per_hour: Type.Integer({ minimum: 1, maximum: 600, description: 'Links to one address.' }),
  password_reset_ttl_seconds: Type.Integer({ minimum: 300, maximum: DAY, description: 'Life of a reset link.' }),
  email_verification_ttl_seconds: Type.Integer({
    minimum: 300,
    maximum: 7 * DAY,
    description: 'Life of a link that verifies an address or finishes a sign-up.',
  }),
  invite_ttl_seconds: Type.Integer({ minimum: HOUR, maximum: 30 * DAY, description: 'Life of an invitation.' }),
  allowed_redirect_uris: Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), {
    maxItems: 100,
    description:
      'Where links and browsers may lead, compared exactly. https only; http on this machine in development, which ' +
      'needs no entry while the list is empty.',
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
  trusted_device_days: Type.Integer({
    minimum: 0,
    maximum: 90,
    description: 'For how long a person may have a device remembered that passed a challenge; 0: never.',
  }),
  trusted_devices_for_enforced_roles: Type.Boolean({
    description:
      'Whether that holds as well for those whose role the MFA policy names, and for owners and admins of whom it ' +
      'requires a second factor.',
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
  require_email_verification: false,
  email_password_enabled: true,
  password_reset_enabled: true,
  password_min_length: 8,
  password_max_length: 128,
  password_breach_check: true,
  password_history: 0,
  password_hash_memory_kib: 19_456,
  password_hash_iterations: 2,
  password_hash_parallelism: 1,
  lockout_enabled: true,
  lockout_max_attempts: 10,
  lockout_window_seconds: 900,
  lockout_duration_seconds: 900,
  magic_link_ttl_seconds: 600,
  magic_link_rate_limit_per_minute: 3,
  magic_link_rate_limit_per_hour: 10,
  password_reset_ttl_seconds: 1800,
  email_verification_ttl_seconds: DAY,
  invite_ttl_seconds: 7 * DAY,
  allowed_redirect_uris: [],
  access_token_ttl_seconds: HOUR,
  session_idle_timeout_seconds: 7 * DAY,
  session_max_lifetime_seconds: 30 * DAY,
  max_concurrent_sessions: null,
  concurrent_session_policy: 'revoke_oldest',
  trusted_device_days: 0,
  trusted_devices_for_enforced_roles: false,
  refresh_reuse_interval_seconds: 10,
})
