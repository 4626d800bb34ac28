import type { Static } from 'typebox'
import type { Work } from '../../../platform/work.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { signInCodeErrors } from './errors.ts'
import { VerifyCodeBody } from './schema.ts'
import { type CodeUse, verifySignInCode } from './sign-in-codes/sign-in-codes.ts'

/** The parts that routes for exchanging a code for a session share. */
export const verifyCodeRoute = {
  service: 'otp' as const,
  body: VerifyCodeBody,
  errors: [...Object.values(signInCodeErrors), ...doorRoutes.errors],
  ...doorRoutes.mailboxLogin,
}

/** The handler of these routes for codes of one purpose. */
export function verifyCodeAs(use: CodeUse) {
  return async (work: Work, { body }: { body: Static<typeof VerifyCodeBody> }) => {
    const { email, otp_id: otpId, code } = body
    return verifySignInCode(work, use, { email, otpId, code })
  }
}
