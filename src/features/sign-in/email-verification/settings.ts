import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

const DAY = 24 * 3600

/** How long a link that proves a mailbox is valid. */
export const emailVerificationSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    email_verification_ttl_seconds: Type.Integer({
      minimum: 300,
      maximum: 7 * DAY,
      description: 'Lifetime of a link that verifies an address or completes a sign-up, in seconds.',
    }),
  }),
  {
    email_verification_ttl_seconds: DAY,
  },
)
