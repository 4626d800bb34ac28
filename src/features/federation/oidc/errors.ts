import { defineErrors } from '../../../platform/errors.ts'

export const logoutErrors = defineErrors({
  invalid: [
    400,
    'logout_token_invalid',
    'The logout token was not accepted',
    'It is not a token by which the provider of this connection logs somebody out, or it is older than five minutes.',
  ],
})
