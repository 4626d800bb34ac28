import { defineErrors } from '../../platform/errors.ts'

export const mfaErrors = defineErrors({
  codeInvalid: [
    [401, 400],
    'mfa_code_invalid',
    'The code is not valid',
    'The code is wrong, was used before, or is of a method that is not offered. Let the user try again; while an app ' +
      'is being enrolled the status is 400.',
  ],
  challengeExpired: [
    400,
    'challenge_expired',
    'The challenge is over',
    'It is older than 300 seconds, was passed, has no attempts left, or was created from another network: let the ' +
      'user sign in again.',
  ],
  alreadyEnrolled: [
    409,
    'already_enrolled',
    'The user is already enrolled',
    'Remove the factor first: DELETE /v1/mfa/totp or /v1/mfa/sms.',
  ],
  enrollmentNotFound: [
    404,
    'enrollment_not_found',
    'Enrollment not found',
    'The user has no such factor, or the pending enrollment has ended: after ten minutes or five wrong codes.',
  ],
  trustedDeviceNotFound: [
    404,
    'trusted_device_not_found',
    'Trusted device not found',
    'There is no such device within the reach of the key.',
  ],
})

/** A challenge refuses with 401; enrollment, which is not a sign-in, with 400. */
export const enrollmentCodeInvalid = mfaErrors.codeInvalid.as(400)
