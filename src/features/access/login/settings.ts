import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'
import { assertOriginsFit } from './web-origin.ts'

/** General settings for signing in and up. */
export const doorSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    allow_sign_up: Type.Boolean({ description: 'Whether users may sign up.' }),
    require_email_verification: Type.Boolean({
      description: 'Whether the mailbox must be proved before a password or a sign-up creates a session.',
    }),
    sign_in_rate_limit_per_minute: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Maximum number of sign-ins of a user per minute, for all methods together.',
    }),
    allowed_origins: Type.Array(Type.String({ minLength: 1, maxLength: 300, examples: ['https://app.example.com'] }), {
      maxItems: 100,
      description:
        'Origins of web pages that may call the end-user routes, such as https://app.example.com. Must be https. In development, also http on the same machine.',
    }),
  }),
  {
    allow_sign_up: true,
    require_email_verification: false,
    sign_in_rate_limit_per_minute: 10,
    allowed_origins: [],
  },
  assertOriginsFit,
)
