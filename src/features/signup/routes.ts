import { Type } from 'typebox'
import { rateHeaders } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { loginErrors, SessionReply } from '../login/login.ts'
import {
  Email,
  otpLoginErrors,
  SentCodeReply,
  toSentCode,
  VerifyCodeBody,
  verifySignInCode,
} from '../otp-login/otp-login.ts'
import { signupErrors } from './errors.ts'
import { sendSignupCode } from './signup.ts'

const tag = 'Sign-up'

export const signupRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/otp/send',
    scope: 'auth.signup',
    service: 'otp',
    tag,
    summary: 'Mail a sign-up code',
    description:
      'With openSignup an unknown address becomes a pending user, gone after 24 hours without proof of the mailbox; ' +
      'without, the answer is the same and no mail is sent. Whoever exists already gets a code as well.',
    body: Type.Object({
      email: Email,
      openSignup: Type.Optional(Type.Boolean({ description: 'Default: the setting open_signup_default.' })),
    }),
    reply: SentCodeReply,
    errors: [signupErrors.signupDisabled, loginErrors.organizationSuspended, loginErrors.methodDisabled],
    maybeEvents: ['auth.otp.sent', 'auth.login.failed', 'user.created'],
    secretReply: true,
    handle: async ({ platform, directory, origin, headers, input }) => {
      const sent = await sendSignupCode({ platform, directory, origin }, input.body)
      Object.assign(headers, rateHeaders(sent.rate))
      return toSentCode(sent)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/otp/verify',
    scope: 'auth.signup',
    service: 'otp',
    tag,
    summary: 'Exchange a sign-up code for a session',
    body: VerifyCodeBody,
    reply: SessionReply,
    errors: [...Object.values(otpLoginErrors), ...Object.values(loginErrors)],
    event: 'auth.login.succeeded',
    maybeEvents: ['session.created', 'session.revoked', 'user.email_verified', 'auth.signup.succeeded'],
    secretReply: true,
    handle: async ({ platform, directory, origin, input }) => {
      const { email, otp_id, code } = input.body
      const verify = { purpose: 'signup' as const, email, otpId: otp_id, code }
      return { session: await verifySignInCode({ platform, directory, origin }, verify) }
    },
  }),
]
