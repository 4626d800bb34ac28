import { defineErrors } from '../../../platform/errors.ts'

export const redirectErrors = defineErrors({
  notAllowed: [
    400,
    'invalid_redirect_uri',
    'The redirect address is not allowed',
    'The address must equal an entry of allowed_redirect_uris. Add it with PATCH /v1/auth/settings.',
  ],
})
