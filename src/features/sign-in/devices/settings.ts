import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Whether users are notified about sign-ins from new devices. */
export const deviceSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    notify_new_device: Type.Boolean({
      description:
        'Whether users are notified by email of a sign-in from a device not seen for 90 days. Uses X-End-User-IP and X-End-User-Agent.',
    }),
  }),
  { notify_new_device: true },
)
