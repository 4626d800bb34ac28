import { defineErrors } from '../../platform/errors.ts'

export const tokenErrors = defineErrors({
  refreshTokenInvalid: [
    401,
    'refresh_token_invalid',
    'The refresh token is not valid',
    'The session has ended, or this is no refresh token of this organization: sign in again.',
  ],
  refreshTokenReused: [
    401,
    'refresh_token_reused',
    'The refresh token had been used before',
    'A token that had been replaced came again, so it or its successor may be stolen. The session has been ended: sign in again.',
  ],
})
