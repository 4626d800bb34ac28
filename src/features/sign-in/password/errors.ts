import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

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
    'The setting password_reset_enabled is off. Turn it on with PATCH /v1/auth/settings.',
  ],
  passwordChangeRequired: [
    403,
    'password_change_required',
    'The password must be changed',
    'The password is correct but must be replaced. Ask the user for a new password, and send the new password with token_hash to POST /v1/auth/password/reset/confirm.',
    {
      token_hash: Type.String({ description: 'Token for one password change; never mailed.' }),
      expires_at: Type.String({ format: 'date-time', description: 'When token_hash expires.' }),
    },
  ],
})

/** Reasons for refusing a new password. */
export const newPasswordErrors = defineErrors({
  weakPassword: [
    422,
    'weak_password',
    'The password is too easy to guess',
    'reasons says why: too_short, too_long, invalid_character, context_word (little more than a name or the address), ' +
      'common_word (a common password and a few digits) or reused. Ask the user for another password.',
    {
      reasons: Type.Array(
        Type.Enum(['too_short', 'too_long', 'invalid_character', 'context_word', 'common_word', 'reused']),
        { description: 'Every rule that the password breaks.' },
      ),
    },
  ],
  passwordBreached: [
    422,
    'password_breached',
    'The password is common or breached',
    'The password is on a list of passwords that attackers try first. Ask the user for another password. The setting password_breach_check turns this check off.',
  ],
})
