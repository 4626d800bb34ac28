import { defineErrors } from '../../../platform/errors.ts'

export const discoveryErrors = defineErrors({
  tokenInvalid: [
    400,
    'discovery_token_invalid',
    'The discovery token is not valid',
    'It is good for ten minutes, once for each organization that it came with, and until the next one: begin anew.',
  ],
})
