import { defineErrors } from '../../../platform/errors.ts'

export const otpErrors = defineErrors({
  referenceRequired: [
    400,
    'otp_reference_required',
    'otp_id or session_id is required',
    'A code alone cannot be looked up. Send the otp_id or the session_id that the code was created with.',
  ],
})

/** Errors of codes for signing in or up. */
export const signInCodeErrors = defineErrors({
  otpInvalid: [
    401,
    'otp_invalid',
    'The code is not valid',
    'The code is wrong, was used before, or was replaced by a newer code. Let the user try again.',
  ],
  otpExpired: [401, 'otp_expired', 'The code has expired', 'The code is correct but has expired. Request a new code.'],
  tooManyAttempts: [
    429,
    'otp_too_many_attempts',
    'Too many wrong codes',
    'No attempts are left for this code, or for all codes sent to this address together. In the first case, request a new code. In the second case, wait up to a day.',
  ],
})
