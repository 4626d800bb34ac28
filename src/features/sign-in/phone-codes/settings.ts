import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Whether a phone opens the door at all: a way in of its own, which no setting for other messages turns on. */
export const phoneCodeSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    sms_sign_in_enabled: Type.Boolean({
      description: 'Whether users may sign in with a code to their enrolled phone. The MFA policy must allow sms.',
    }),
  }),
  { sms_sign_in_enabled: false },
)
