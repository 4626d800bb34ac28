import type { Static } from 'typebox'
import type { KeyedContext } from '../../platform/http/route.ts'
import { doorErrors, sessionRoute } from '../login/login.ts'
import { otpLoginErrors } from './errors.ts'
import { type SignInPurpose, verifySignInCode } from './otp-login.ts'
import { VerifyCodeBody } from './schema.ts'

/** What the routes that exchange a code for a session have in common. */
export const verifyCodeRoute = {
  service: 'otp' as const,
  body: VerifyCodeBody,
  errors: [...Object.values(otpLoginErrors), ...doorErrors],
  ...sessionRoute,
}

type VerifyCodeContext = KeyedContext<'one'> & { input: { body: Static<typeof VerifyCodeBody> } }

/** Their handler, for codes of one purpose. */
export function verifyCodeAs(purpose: SignInPurpose) {
  return async ({ platform, directory, origin, input }: VerifyCodeContext) => {
    const { email, otp_id: otpId, code } = input.body
    return verifySignInCode({ platform, directory, origin }, { purpose, email, otpId, code })
  }
}
