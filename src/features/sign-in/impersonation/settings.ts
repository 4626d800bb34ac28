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
          'Whether callers with the scope `impersonate` may impersonate users. Each organization sets this itself, because it is not inherited.',
      }),
    }),
    { impersonation_enabled: false },
    ({ directory }, patch) => {
      if (patch['impersonation_enabled'] === true && directory.organizationId === null)
        throw invalidField(
          'impersonation_enabled',
          'not_inherited',
          'impersonation_enabled cannot be set in the defaults: each organization turns it on itself',
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
