import { defineErrors } from '../../../platform/errors.ts'

export const impersonationErrors = defineErrors({
  disabled: [
    403,
    'impersonation_disabled',
    'The organization does not allow impersonation',
    'impersonation_enabled of the auth settings is off, which it is unless the organization itself turns it on.',
  ],
  neverSignedIn: [
    409,
    'user_never_signed_in',
    'The user has never signed in',
    'A token is of an auth account, which a user gets at the first sign-in.',
  ],
})
