import { Type } from 'typebox'
import { defineSettingsPart } from '../../platform/settings.ts'

/** Organizations that people make for themselves. Those of the environment's defaults count, since there is none yet. */
export const discoverySettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    discovery_create_organizations: Type.Boolean({
      description: 'In the defaults: whoever has proved a mailbox may make an organization, as its admin.',
    }),
    discovery_create_limit_per_day: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'In the defaults: organizations that may be made so in a day.',
    }),
  }),
  { discovery_create_organizations: false, discovery_create_limit_per_day: 100 },
)
