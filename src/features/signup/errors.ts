import { defineErrors } from '../../platform/errors.ts'

export const signupErrors = defineErrors({
  signupDisabled: [403, 'signup_disabled', 'Sign-up is disabled', 'allow_sign_up is off here.'],
})
