import type { Static } from 'typebox'
import type { Work } from '../../platform/work.ts'
import { doorErrors, sessionRoute } from '../login/login.ts'
import { signInCodeErrors } from './errors.ts'
import { VerifyCodeBody } from './schema.ts'
import { verifySignInCode } from './sign-in.ts'
import type { SignInPurpose } from './sign-in-codes.ts'

/** What the routes that exchange a code for a session share. */
export const verifyCodeRoute = {
  service: 'otp' as const,
  body: VerifyCodeBody,
  errors: [...Object.values(signInCodeErrors), ...doorErrors],
  ...sessionRoute,
}

/** Their handler, for codes of one purpose. */
export function verifyCodeAs(purpose: SignInPurpose) {
  return async (work: Work, { body }: { body: Static<typeof VerifyCodeBody> }) => {
    const { email, otp_id: otpId, code } = body
    return verifySignInCode(work, { purpose, email, otpId, code })
  }
}
