import { Type } from 'typebox'
import { rateHeaders } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { loginErrors, SessionReply } from '../login/login.ts'
import { otpLoginErrors } from './errors.ts'
import { sendSignInCode, verifySignInCode } from './otp-login.ts'
import { Email, SentCodeReply, toSentCode, VerifyCodeBody } from './schema.ts'

const tag = 'Authentication'

export const otpLoginRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/otp/send',
    scope: 'auth.login',
    service: 'otp',
    tag,
    summary: 'Mail a sign-in code',
    description:
      'Mails two words to the address if a user of the organization has it. The answer is the same when nobody has. ' +
      'Asked again within resend_interval_seconds, the code on its way stays valid and no second mail is sent.',
    body: Type.Object({ email: Email }),
    reply: SentCodeReply,
    errors: [loginErrors.organizationSuspended, loginErrors.methodDisabled],
    maybeEvents: ['auth.otp.sent', 'auth.login.failed'],
    secretReply: true,
    examples: { body: { email: 'ada@example.com' } },
    handle: async ({ platform, directory, origin, headers, input }) => {
      const send = { purpose: 'login' as const, email: input.body.email, provision: null }
      const sent = await sendSignInCode({ platform, directory, origin }, send)
      Object.assign(headers, rateHeaders(sent.rate))
      return toSentCode(sent)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/otp/verify',
    scope: 'auth.login',
    service: 'otp',
    tag,
    summary: 'Exchange a sign-in code for a session',
    body: VerifyCodeBody,
    reply: SessionReply,
    errors: [...Object.values(otpLoginErrors), ...Object.values(loginErrors)],
    event: 'auth.login.succeeded',
    maybeEvents: ['session.created', 'session.revoked', 'user.email_verified', 'auth.signup.succeeded'],
    secretReply: true,
    handle: async ({ platform, directory, origin, input }) => {
      const { email, otp_id, code } = input.body
      const verify = { purpose: 'login' as const, email, otpId: otp_id, code }
      return { session: await verifySignInCode({ platform, directory, origin }, verify) }
    },
  }),
]
