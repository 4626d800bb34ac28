import { defineErrors } from '../../../platform/errors.ts'

export const ssoErrors = defineErrors({
  incomplete: [
    409,
    'connection_incomplete',
    'The connection is incomplete',
    'Set the missing fields, which detail names, and test the connection.',
  ],
})
