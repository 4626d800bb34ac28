import { defineErrors } from '../../../platform/errors.ts'

export const impersonationErrors = defineErrors({
  disabled: [
    403,
    'impersonation_disabled',
    'The organization does not allow impersonation',
    'Turn on the setting impersonation_enabled for the organization (PATCH /v1/auth/settings). Organizations do not inherit this setting.',
  ],
  neverSignedIn: [
    409,
    'user_never_signed_in',
    'The user has never signed in',
    'An access token requires an auth account, which a user gets at the first sign-in. Impersonate the user after that.',
  ],
})
