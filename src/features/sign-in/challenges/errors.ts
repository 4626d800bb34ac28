import { defineErrors } from '../../../platform/errors.ts'

export const challengeErrors = defineErrors({
  codeInvalid: [
    [401, 400],
    'mfa_code_invalid',
    'The code is not valid',
    'The code is wrong, was used before, or belongs to a method that this user cannot use here. Let the user try again. The status is 401 when the code completes a challenge, because the user is not signed in yet. The status is 400 when the code confirms an app or a phone, because the caller is already authenticated.',
  ],
  expired: [
    400,
    'challenge_expired',
    'The challenge is no longer valid',
    'The challenge is older than 300 seconds, was already completed, has no attempts left, or was created from another network. Let the user sign in again.',
  ],
})
