import { defineErrors } from '../../../platform/errors.ts'

export const serviceErrors = defineErrors({
  authRequired: [
    409,
    'auth_required',
    'The service requires auth',
    'Sign-in methods work only while the service auth is on. Turn auth on together with them.',
  ],
})
