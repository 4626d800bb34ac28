import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** How long an invitation is valid. */
export const inviteSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    invite_ttl_seconds: Type.Integer({
      minimum: HOUR,
      maximum: 30 * DAY,
      description: 'Lifetime of an invitation, in seconds.',
    }),
  }),
  {
    invite_ttl_seconds: 7 * DAY,
  },
)
