import { defineErrors } from '../../platform/errors.ts'

export const otpLoginErrors = defineErrors({
  otpInvalid: [401, 'otp_invalid', 'The code is not valid'],
  otpExpired: [401, 'otp_expired', 'The code has expired'],
  tooManyAttempts: [429, 'otp_too_many_attempts', 'Too many wrong codes'],
})
