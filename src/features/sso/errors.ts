import { defineErrors } from '../../platform/errors.ts'

export const ssoErrors = defineErrors({
  incomplete: [
    409,
    'connection_incomplete',
    'The connection lacks what a sign-in needs',
    'Give what detail names, and test the connection.',
  ],
  unreachable: [
    503,
    'idp_unreachable',
    'The identity provider does not answer',
    'Its configuration could not be fetched: try again, or test the connection.',
  ],
})
