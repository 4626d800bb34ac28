import { defineErrors } from '../../../platform/errors.ts'

export const discoveryErrors = defineErrors({
  tokenInvalid: [
    400,
    'discovery_token_invalid',
    'The discovery token is not valid',
    'A token is valid for ten minutes, once for each organization listed with it. A newer token replaces it. Start again.',
  ],
})
