import { defineErrors } from '../../platform/errors.ts'

export const signupErrors = defineErrors({
  signupDisabled: [
    403,
    'signup_disabled',
    'Sign-up is disabled',
    'allow_sign_up is off here; or nobody has the address, and neither openSignup nor open_signup_default opens sign-up.',
  ],
})
