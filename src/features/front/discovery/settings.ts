import { Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Organizations that people make for themselves. There is none yet that could say so: the environment's defaults do. */
export const discoverySettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    discovery_create_organizations: Type.Boolean({
      description: 'In the defaults: a person with a proved mailbox may create an organization and becomes its admin.',
    }),
    discovery_create_limit_per_day: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'In the defaults: organizations that may be made so in a day.',
    }),
  }),
  { discovery_create_organizations: false, discovery_create_limit_per_day: 100 },
  ({ directory }, patch, present) => {
    if (directory.kind === 'account') return
    // Whoever sends back all that was read may.
    for (const [field, value] of Object.entries(present))
      if ((patch[field] ?? value) !== value)
        throw invalidField(field, 'defaults_only', `${field} is of the environment: PATCH /v1/auth/settings/defaults`)
  },
)
