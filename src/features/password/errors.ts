import { Type } from 'typebox'
import { defineErrors } from '../../platform/errors.ts'

export const passwordErrors = defineErrors({
  invalidCredentials: [
    401,
    'invalid_credentials',
    'Email address or password is wrong',
    'The response is the same whether no user has the address, the user has no password, or the password is wrong.',
  ],
  passwordResetDisabled: [
    403,
    'password_reset_disabled',
    'Password reset is disabled',
    'password_reset_enabled is off (PATCH /v1/auth/settings).',
  ],
  passwordChangeRequired: [
    403,
    'password_change_required',
    'The password must be changed',
    'The password was right. Ask for a new one and send it with token_hash to POST /v1/auth/password/reset/confirm.',
    {
      token_hash: Type.String({ description: 'Of a link that was not mailed; it allows one new password.' }),
      expires_at: Type.String({ format: 'date-time', description: 'When token_hash expires.' }),
    },
  ],
})
