import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Whether users can sign in with a code sent to a phone. No setting for other text messages turns this on. */
export const phoneCodeSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    sms_sign_in_enabled: Type.Boolean({
      description: 'Whether users may sign in with a code sent to their enrolled phone. The MFA policy must allow sms.',
    }),
  }),
  { sms_sign_in_enabled: false },
)
