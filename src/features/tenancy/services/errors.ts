import { defineErrors } from '../../../platform/errors.ts'

export const serviceErrors = defineErrors({
  authRequired: [
    409,
    'auth_required',
    'The service needs Auth',
    'Enable auth together with the services that depend on it.',
  ],
})
