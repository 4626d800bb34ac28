import { ApiError, defineErrors, type ErrorDetails } from '../../platform/errors.ts'

export const mfaErrors = defineErrors({
  codeInvalid: [
    401,
    'mfa_code_invalid',
    'The code is not valid',
    'The code is wrong, has passed before, or is of a method that is not offered. Let the person try again; while an ' +
      'app is being enrolled this answers 400.',
  ],
  challengeExpired: [
    400,
    'challenge_expired',
    'The challenge is over',
    'It is older than 300 seconds, was passed, has used up its tries, or was made for somebody elsewhere: let the ' +
      'person sign in again.',
  ],
  alreadyEnrolled: [
    409,
    'already_enrolled',
    'The user has enrolled already',
    'Remove the factor first: DELETE /v1/mfa/totp or /v1/mfa/sms.',
  ],
  enrollmentNotFound: [
    404,
    'enrollment_not_found',
    'Enrollment not found',
    'The user has no such factor, or the one that was begun is over: ten minutes or five wrong codes end it.',
  ],
  trustedDeviceNotFound: [
    404,
    'trusted_device_not_found',
    'Trusted device not found',
    'There is no such device in the reach of the key.',
  ],
  methodDisabled: [
    403,
    'method_disabled',
    'The method is disabled',
    'A setting of the organization turns this way of signing in off.',
  ],
  verificationRequired: [
    403,
    'verification_required',
    'The mailbox has to be proved first',
    'Nothing is attached to an address before its owner has proved it.',
  ],
})

const atEnrollment = { ...mfaErrors.codeInvalid, status: 400, code: 'mfa_code_invalid' }

/** The same code as a challenge refuses with, where nobody is signing in. */
export const enrollmentCodeInvalid = Object.assign(
  (details: ErrorDetails = {}) => new ApiError(atEnrollment, details),
  atEnrollment,
)
