import { defineErrors } from '../../../platform/errors.ts'

export const tokenErrors = defineErrors({
  refreshTokenInvalid: [
    401,
    'refresh_token_invalid',
    'The refresh token is not valid',
    'The session has ended, or the token is not a refresh token of this organization. Ask the user to sign in again.',
  ],
  refreshTokenReused: [
    401,
    'refresh_token_reused',
    'The refresh token was already used',
    'A refresh token was sent again after it had been replaced, so it or its successor may have been stolen. The session was ended. Ask the user to sign in again.',
  ],
})
