import { defineErrors } from '../../../platform/errors.ts'
import { challengeErrors } from '../challenges/challenges.ts'

export const factorErrors = defineErrors({
  alreadyEnrolled: [
    409,
    'already_enrolled',
    'The user is already enrolled',
    'Remove the current factor first (DELETE /v1/mfa/totp or DELETE /v1/mfa/sms).',
  ],
  enrollmentNotFound: [
    404,
    'enrollment_not_found',
    'Enrollment not found',
    'The user does not have this second factor, or the enrollment has expired. An enrollment expires after ten minutes or five wrong codes.',
  ],
})

/** A challenge refuses a wrong code with 401. Enrollment is not a sign-in and refuses with 400. */
export const enrollmentCodeInvalid = challengeErrors.codeInvalid.as(400)
