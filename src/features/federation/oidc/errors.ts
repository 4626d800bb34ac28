import { defineErrors } from '../../../platform/errors.ts'

export const logoutErrors = defineErrors({
  invalid: [
    400,
    'logout_token_invalid',
    'The logout token was not accepted',
    'The token is not a logout token from this connection’s provider, or it is older than five minutes.',
  ],
})
