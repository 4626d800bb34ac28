import { defineErrors } from '../../platform/errors.ts'

export const tokenErrors = defineErrors({
  refreshTokenInvalid: [401, 'refresh_token_invalid', 'The refresh token is not valid'],
  refreshTokenReused: [401, 'refresh_token_reused', 'The refresh token had been used before'],
})
