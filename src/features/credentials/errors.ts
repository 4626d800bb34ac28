import { Type } from 'typebox'
import { defineErrors } from '../../platform/errors.ts'

export const credentialErrors = defineErrors({
  weakPassword: [
    422,
    'weak_password',
    'The password is too easy to guess',
    'reasons says why: too_short, too_long, invalid_character, context_word (little more than a name or the address), ' +
      'common_word (a common password and a few digits) or reused. Ask the user for another password.',
    {
      reasons: Type.Array(
        Type.Enum(['too_short', 'too_long', 'invalid_character', 'context_word', 'common_word', 'reused']),
      ),
    },
  ],
  passwordBreached: [
    422,
    'password_breached',
    'The password is on a list of common and breached passwords',
    'Attackers try such passwords first. Ask the user for another one; password_breach_check turns the check off.',
  ],
})
