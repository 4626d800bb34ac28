import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Whether people are told of sign-ins from elsewhere. */
export const deviceSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    notify_new_device: Type.Boolean({
      description:
        'Whether a user is mailed when they sign in from a device not seen for 90 days: by X-End-User-IP and X-End-User-Agent.',
    }),
  }),
  { notify_new_device: true },
)
