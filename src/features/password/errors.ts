import { defineErrors } from '../../platform/errors.ts'

export const passwordErrors = defineErrors({
  invalidCredentials: [
    401,
    'invalid_credentials',
    'E-mail address or password is wrong',
    'The same answer whether nobody has the address, the user has no password, or the password is another.',
  ],
  passwordResetDisabled: [
    403,
    'password_reset_disabled',
    'Password reset is disabled',
    'password_reset_enabled is off here (PATCH /v1/auth/settings).',
  ],
  passwordChangeRequired: [
    403,
    'password_change_required',
    'The password has to be changed',
    'The password was right. Ask for a new one and send it with token_hash to POST /v1/auth/password/reset/confirm.',
  ],
  verificationRequired: [
    403,
    'verification_required',
    'The mailbox has to be proved first',
    'Nobody has shown yet that the mailbox is theirs: let the person sign in with a mailed code or link.',
  ],
})
