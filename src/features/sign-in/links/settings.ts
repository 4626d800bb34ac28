import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Sign-in links. */
export const linkSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    magic_link_ttl_seconds: Type.Integer({
      minimum: 60,
      maximum: 3600,
      description:
        'Lifetime of a sign-in link, in seconds. The words in the same email are valid for at most ten minutes.',
    }),
    magic_link_rate_limit_per_minute: Type.Integer({
      minimum: 1,
      maximum: 60,
      description: 'Maximum number of links sent to one address per minute.',
    }),
    magic_link_rate_limit_per_hour: Type.Integer({
      minimum: 1,
      maximum: 600,
      description: 'Maximum number of links sent to one address per hour.',
    }),
  }),
  {
    magic_link_ttl_seconds: 600,
    magic_link_rate_limit_per_minute: 3,
    magic_link_rate_limit_per_hour: 10,
  },
)
