import { Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Organizations that people make for themselves. There is none yet that could say so: the environment's defaults do. */
export const discoverySettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    discovery_create_organizations: Type.Boolean({
      description:
        'Only in the defaults: whether a person with a proved mailbox may create an organization and become its admin.',
    }),
    discovery_create_limit_per_day: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'Only in the defaults: maximum organizations created this way per day.',
    }),
  }),
  { discovery_create_organizations: false, discovery_create_limit_per_day: 100 },
  ({ directory }, patch, present) => {
    if (directory.kind === 'account') return
    // A caller may send back unchanged values that it read.
    for (const [field, value] of Object.entries(present))
      if ((patch[field] ?? value) !== value)
        throw invalidField(field, 'defaults_only', `${field} is of the environment: PATCH /v1/auth/settings/defaults`)
  },
)
