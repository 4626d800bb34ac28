import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const STEP_UP_METHODS = ['password', 'otp', 'totp', 'backup', 'sms', 'passkey', 'sso'] as const
export type StepUpMethod = (typeof STEP_UP_METHODS)[number]

export const selfManagementErrors = defineErrors({
  stepUpRequired: [
    401,
    'step_up_required',
    'Step-up required',
    'Before changing a sign-in method, the user must have signed in or verified again (step-up) in the last 10 minutes, with a second factor if the user has one. Start a step-up with one of the listed methods (POST /v1/me/step-up), then repeat the request with the new access token. For the method sso, the user signs in again instead.',
    {
      methods: Type.Array(Type.Enum(STEP_UP_METHODS), { description: 'Step-up methods that the user has.' }),
      within_seconds: Type.Integer({ description: 'Maximum age of the step-up, in seconds.' }),
    },
  ],
  lastFactor: [
    409,
    'last_factor',
    'The last factor cannot be removed',
    'The MFA policy requires this user to have a second factor. Enroll another factor first.',
  ],
})
