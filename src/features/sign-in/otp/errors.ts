import { defineErrors } from '../../../platform/errors.ts'

export const otpErrors = defineErrors({
  referenceRequired: [
    400,
    'otp_reference_required',
    'otp_id or session_id is required',
    'A code alone identifies nothing: send the otp_id or session_id that it was created with.',
  ],
})

/** Of codes that sign in or up. */
export const signInCodeErrors = defineErrors({
  otpInvalid: [
    401,
    'otp_invalid',
    'The code is not valid',
    'The code is wrong, was used before, or a newer one was sent. Let the user try again.',
  ],
  otpExpired: [401, 'otp_expired', 'The code has expired', 'The code was right but came too late: request a new one.'],
  tooManyAttempts: [
    429,
    'otp_too_many_attempts',
    'Too many wrong codes',
    'The attempts at this code, or at all codes of the address, are used up: request a new one; if the address is, it takes up to a day.',
  ],
})
