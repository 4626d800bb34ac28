import { Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { defineSettingsPart, entailing } from '../../../platform/settings/settings.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { endImpersonations } from './end.ts'

/** Whether others may act for users. There is no inherited default: each organization decides for itself. */
export const impersonationSettings = entailing(
  defineSettingsPart(
    'auth_settings',
    Type.Object({
      impersonation_enabled: Type.Boolean({
        description:
          'Whether a key with the scope impersonate may act for users. Not inherited: each organization sets it.',
      }),
    }),
    { impersonation_enabled: false },
    ({ directory }, patch) => {
      if (patch['impersonation_enabled'] === true && directory.organizationId === null)
        throw invalidField(
          'impersonation_enabled',
          'not_inherited',
          'impersonation_enabled is turned on by each organization for itself',
        )
    },
  ),
  {
    async settle(work, { before, after }) {
      if (isEnabled(before) && !isEnabled(after)) await endImpersonations(work)
    },
    entailed: [sessionEvents.revoked],
  },
)

const isEnabled = (values: object) => 'impersonation_enabled' in values && values.impersonation_enabled === true
