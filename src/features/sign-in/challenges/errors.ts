import { defineErrors } from '../../../platform/errors.ts'

export const challengeErrors = defineErrors({
  codeInvalid: [
    [401, 400],
    'mfa_code_invalid',
    'The code is not valid',
    'The code is wrong, was used before, or belongs to a method that is not offered. Let the user try again. At a challenge the status is 401, because the code signs in. At the enrollment of an app or a phone it is 400, because the caller is authenticated and only the code in the request is wrong.',
  ],
  expired: [
    400,
    'challenge_expired',
    'The challenge is over',
    'The challenge is older than 300 seconds, was passed, has no attempts left, or was created from another network. Let the user sign in again.',
  ],
})
