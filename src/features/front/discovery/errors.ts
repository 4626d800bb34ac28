import { defineErrors } from '../../../platform/errors.ts'

export const discoveryErrors = defineErrors({
  tokenInvalid: [
    400,
    'discovery_token_invalid',
    'The discovery token is not valid',
    'A discovery token is valid for ten minutes and works once for each organization that was returned with it. A newer token replaces an older one. Start discovery again.',
  ],
})
