import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Whether a trusted device may replace the second factor. */
export const trustedDeviceSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    trusted_device_days: Type.Integer({
      minimum: 0,
      maximum: 90,
      description: 'Days for which a device that passed a challenge may be trusted. 0: never.',
    }),
    trusted_devices_for_enforced_roles: Type.Boolean({
      description:
        'Whether devices may also be trusted for roles that the MFA policy names, and for owners and admins if it requires a second factor of them.',
    }),
  }),
  {
    trusted_device_days: 0,
    trusted_devices_for_enforced_roles: false,
  },
)
