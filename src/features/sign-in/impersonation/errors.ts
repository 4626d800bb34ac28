import { defineErrors } from '../../../platform/errors.ts'

export const impersonationErrors = defineErrors({
  disabled: [
    403,
    'impersonation_disabled',
    'The organization does not allow impersonation',
    'Each organization must turn on impersonation_enabled itself (PATCH /v1/auth/settings).',
  ],
  neverSignedIn: [
    409,
    'user_never_signed_in',
    'The user has never signed in',
    'Access tokens need an auth account, and a user gets one at the first sign-in.',
  ],
})
