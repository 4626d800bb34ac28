import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const STEP_UP_METHODS = ['password', 'otp', 'totp', 'backup', 'sms', 'passkey', 'sso'] as const
export type StepUpMethod = (typeof STEP_UP_METHODS)[number]

export const selfManagementErrors = defineErrors({
  stepUpRequired: [
    401,
    'step_up_required',
    'Who is there must be proved again',
    'What changes a way in wants a proof of the last 10 minutes, with a second factor of who has one: POST /v1/me/step-up ' +
      'by one of methods, and repeat the request with the token that comes back; with sso, sign in again.',
    {
      methods: Type.Array(Type.Enum(STEP_UP_METHODS), { description: 'Step-up methods that the user has.' }),
      within_seconds: Type.Integer({ description: 'Greatest age of the step-up, in seconds.' }),
    },
  ],
  lastFactor: [
    409,
    'last_factor',
    'The last factor cannot be removed',
    'The policy requires a second factor of this user: enroll another first.',
  ],
})
