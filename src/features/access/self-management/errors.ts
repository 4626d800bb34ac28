import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const STEP_UP_METHODS = ['password', 'otp', 'totp', 'backup', 'sms', 'passkey', 'sso'] as const
export type StepUpMethod = (typeof STEP_UP_METHODS)[number]

export const selfManagementErrors = defineErrors({
  stepUpRequired: [
    401,
    'step_up_required',
    'Step-up required',
    'Changing a sign-in method requires a step-up in the last 10 minutes, with a second factor if the user has one. Step up by one of methods (POST /v1/me/step-up) and repeat the request with the new access token. If the method is sso, sign in again.',
    {
      methods: Type.Array(Type.Enum(STEP_UP_METHODS), { description: 'Step-up methods that the user has.' }),
      within_seconds: Type.Integer({ description: 'Maximum age of the step-up, in seconds.' }),
    },
  ],
  lastFactor: [
    409,
    'last_factor',
    'The last factor cannot be removed',
    'The policy requires a second factor of this user. Enroll another one first.',
  ],
})
