import { defineErrors } from '../../../platform/errors.ts'

export const mfaErrors = defineErrors({
  trustedDeviceNotFound: [
    404,
    'trusted_device_not_found',
    'Trusted device not found',
    'There is no such device within the reach of the key.',
  ],
})
