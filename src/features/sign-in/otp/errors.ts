import { defineErrors } from '../../../platform/errors.ts'

export const otpErrors = defineErrors({
  referenceRequired: [
    400,
    'otp_reference_required',
    'otp_id or session_id is required',
    'A code alone identifies nothing. Send the otp_id or session_id that it was created with.',
  ],
})

/** Errors of codes for signing in or up. */
export const signInCodeErrors = defineErrors({
  otpInvalid: [
    401,
    'otp_invalid',
    'The code is not valid',
    'The code is wrong, was used before, or a newer one was sent. Let the user try again.',
  ],
  otpExpired: [401, 'otp_expired', 'The code has expired', 'The code is correct but has expired. Request a new one.'],
  tooManyAttempts: [
    429,
    'otp_too_many_attempts',
    'Too many wrong codes',
    'The attempts for this code, or for all codes of the address, are used up. For a code, request a new one. For an address, wait up to a day.',
  ],
})
