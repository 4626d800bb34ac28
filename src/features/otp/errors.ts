import { defineErrors } from '../../platform/errors.ts'

export const otpErrors = defineErrors({
  referenceRequired: [
    400,
    'otp_reference_required',
    'otp_id or session_id is required',
    'A code alone identifies nothing: send the otp_id or session_id that it was created with.',
  ],
})
