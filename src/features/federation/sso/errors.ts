import { defineErrors } from '../../../platform/errors.ts'

export const ssoErrors = defineErrors({
  incomplete: [
    409,
    'connection_incomplete',
    'The connection lacks what a sign-in needs',
    'Give what detail names, and test the connection.',
  ],
})
