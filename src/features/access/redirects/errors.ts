import { defineErrors } from '../../../platform/errors.ts'

export const redirectErrors = defineErrors({
  notAllowed: [
    400,
    'invalid_redirect_uri',
    'The redirect address is not allowed',
    'It must equal an entry of allowed_redirect_uris (PATCH /v1/auth/settings).',
  ],
})
