import { defineErrors } from '../../../platform/errors.ts'

export const mfaErrors = defineErrors({
  trustedDeviceNotFound: [
    404,
    'trusted_device_not_found',
    'Trusted device not found',
    'No trusted device has this id, or the caller cannot reach it.',
  ],
})
