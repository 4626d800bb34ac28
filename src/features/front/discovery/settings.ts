import { Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/**
 * Settings for organizations that people create themselves. They are only in the environment's defaults, since the
 * organization does not exist yet.
 */
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
      description: 'Only in the defaults: maximum number of organizations that people create in this way per day.',
    }),
  }),
  { discovery_create_organizations: false, discovery_create_limit_per_day: 100 },
  ({ directory }, patch, present) => {
    if (directory.kind === 'account') return
    // A caller may send back unchanged values that it read.
    for (const [field, value] of Object.entries(present))
      if ((patch[field] ?? value) !== value)
        throw invalidField(
          field,
          'defaults_only',
          `${field} can be set only in the defaults: PATCH /v1/auth/settings/defaults`,
        )
  },
)
