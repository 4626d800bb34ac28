import { type Static, Type } from 'typebox'
import { MAX_ACCESS_TOKEN_SECONDS } from '../../platform/crypto/signing-keys.ts'
import { named, nullable } from '../../platform/schema.ts'
import { defineSettings } from '../../platform/settings.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** Settings of sign-in, sign-up and sessions (snake_case on the wire, like all settings). */
export const AuthSettings = named(
  'AuthSettings',
  Type.Object({
    allow_sign_up: Type.Boolean({ description: 'Whether users may sign up at all.' }),
    open_signup_default: Type.Boolean({
      description: 'Whether a sign-up without `openSignup` creates a user for an unknown address.',
    }),
    require_email_verification: Type.Boolean({
      description: 'Whether a password or a sign-up gives a session only once the mailbox is proved.',
    }),
    email_password_enabled: Type.Boolean({ description: 'Whether users may sign in and up with a password.' }),
    password_reset_enabled: Type.Boolean({ description: 'Whether forgotten passwords may be reset by email.' }),
    password_min_length: Type.Integer({ minimum: 8, maximum: 128, description: 'Characters.' }),
    password_max_length: Type.Integer({ minimum: 64, maximum: 1024, description: 'Characters.' }),
    password_breach_check: Type.Boolean({
      description: 'Whether common and breached passwords are refused, by a list built into the service.',
    }),
    password_history: Type.Integer({
      minimum: 0,
      maximum: 24,
      description: 'How many of the last passwords, including the current one, may not be reused.',
    }),
    password_hash_memory_kib: Type.Integer({
      minimum: 19_456,
      maximum: 262_144,
      description: 'Memory of argon2id, in KiB. Stored passwords are upgraded at the next sign-in.',
    }),
    password_hash_iterations: Type.Integer({ minimum: 2, maximum: 10, description: 'Passes of argon2id.' }),
    password_hash_parallelism: Type.Integer({ minimum: 1, maximum: 4, description: 'Lanes of argon2id.' }),
    lockout_enabled: Type.Boolean({ description: 'Whether wrong passwords lock an address.' }),
    lockout_max_attempts: Type.Integer({
      minimum: 3,
      maximum: 100,
      description:
        'Wrong passwords until a lock: from one network, if X-End-User-IP is sent, and five times as many from all.',
    }),
    lockout_window_seconds: Type.Integer({ minimum: 60, maximum: DAY, description: 'How long wrong passwords count.' }),
    lockout_duration_seconds: Type.Integer({
      minimum: 60,
      maximum: HOUR,
      description: 'Length of the first lock; each further one lasts twice as long, up to an hour.',
    }),
    magic_link_ttl_seconds: Type.Integer({ minimum: 60, maximum: 600, description: 'Lifetime of a sign-in link.' }),
    magic_link_rate_limit_per_minute: Type.Integer({ minimum: 1, maximum: 60, description: 'Links to one address.' }),
    magic_link_rate_limit_per_hour: Type.Integer({ minimum: 1, maximum: 600, description: 'Links to one address.' }),
    password_reset_ttl_seconds: Type.Integer({ minimum: 300, maximum: DAY, description: 'Lifetime of a reset link.' }),
    email_verification_ttl_seconds: Type.Integer({
      minimum: 300,
      maximum: 7 * DAY,
      description: 'Lifetime of a link that verifies an address or finishes a sign-up.',
    }),
    invite_ttl_seconds: Type.Integer({ minimum: HOUR, maximum: 30 * DAY, description: 'Lifetime of an invitation.' }),
    allowed_redirect_uris: Type.Array(
      Type.String({ minLength: 1, maxLength: 2048, examples: ['https://app.example.com/auth'] }),
      {
        maxItems: 100,
        description:
          'Where links and browsers may lead, compared exactly. https only; in development also http on this machine, ' +
          'which needs no entry while the list is empty.',
      },
    ),
    allowed_origins: Type.Array(Type.String({ minLength: 1, maxLength: 300, examples: ['https://app.example.com'] }), {
      maxItems: 100,
      description:
        'Origins of web pages that may call the end-user routes, such as https://app.example.com. https only; in ' +
        'development also http on this machine.',
    }),
    access_token_ttl_seconds: Type.Integer({
      minimum: 60,
      maximum: MAX_ACCESS_TOKEN_SECONDS,
      description: 'Lifetime of an access token: how long offline verifiers may still accept a revoked session.',
    }),
    session_idle_timeout_seconds: Type.Integer({
      minimum: 300,
      maximum: 90 * DAY,
      description: 'A session that is not refreshed for this long ends.',
    }),
    session_max_lifetime_seconds: Type.Integer({
      minimum: 300,
      maximum: 365 * DAY,
      description: 'A session ends after this time, however much it is used.',
    }),
    max_concurrent_sessions: nullable(
      Type.Integer({ minimum: 1, maximum: 1000 }),
      'Concurrent sessions per user; null for no limit.',
    ),
    concurrent_session_policy: Type.Enum(['revoke_oldest', 'deny_new'], {
      description: 'What happens to a sign-in beyond the limit.',
    }),
    trusted_device_days: Type.Integer({
      minimum: 0,
      maximum: 90,
      description: 'How long a device that passed a challenge may be trusted; 0: never.',
    }),
    trusted_devices_for_enforced_roles: Type.Boolean({
      description:
        'Whether that also applies to roles that the MFA policy names, and to owners and admins when it requires a ' +
        'second factor of them.',
    }),
    refresh_reuse_interval_seconds: Type.Integer({
      minimum: 0,
      maximum: 60,
      description: 'A refresh token sent again this soon, as after a lost response, gets the same successor again.',
    }),
  }),
)

export type AuthSettings = Static<typeof AuthSettings>

export const defaultAuthSettings: AuthSettings = {
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
  allowed_origins: [],
  access_token_ttl_seconds: HOUR,
  session_idle_timeout_seconds: 7 * DAY,
  session_max_lifetime_seconds: 30 * DAY,
  max_concurrent_sessions: null,
  concurrent_session_policy: 'revoke_oldest',
  trusted_device_days: 0,
  trusted_devices_for_enforced_roles: false,
  refresh_reuse_interval_seconds: 10,
}

export const authSettings = defineSettings(
  'auth_settings',
  'The sign-in, sign-up and session settings of an organization, or the defaults of its environment, were changed.',
  AuthSettings,
  defaultAuthSettings,
)

/** The body of a change. */
export const AuthSettingsPatch = named('AuthSettingsPatch', Type.Object(authSettings.patchBody))
