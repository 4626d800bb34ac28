import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** Which users may sign up. */
export const signupSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    open_signup_default: Type.Boolean({
      description: 'Whether a sign-up without `openSignup` creates a user for an unknown address.',
    }),
  }),
  {
    open_signup_default: false,
  },
)
