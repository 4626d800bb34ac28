import { defineErrors } from '../../../platform/errors.ts'

export const redirectErrors = defineErrors({
  notAllowed: [
    400,
    'invalid_redirect_uri',
    'The redirect address is not allowed',
    'The address must be exactly equal to an entry of allowed_redirect_uris. Add the address with PATCH /v1/auth/settings.',
  ],
})
