import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Whether a trusted device may replace the second factor. */
export const trustedDeviceSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    trusted_device_days: Type.Integer({
      minimum: 0,
      maximum: 90,
      description:
        'Days for which a device can skip the second factor after it completed a challenge. 0: no device is trusted.',
    }),
    trusted_devices_for_enforced_roles: Type.Boolean({
      description:
        'Whether devices may also be trusted for users whose role the MFA policy names in enforce_for_roles, and for owners and admins if the policy requires their second factor.',
    }),
  }),
  {
    trusted_device_days: 0,
    trusted_devices_for_enforced_roles: false,
  },
)
