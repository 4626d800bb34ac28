import { Type } from 'typebox'
import { rateHeaders } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { Email, sendErrors } from '../login/login.ts'
import { sendSignInCode } from './otp-login.ts'
import { SentCodeReply, toSentCode } from './schema.ts'
import { verifyCodeAs, verifyCodeRoute } from './verify-route.ts'

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
    errors: sendErrors,
    maybeEvents: ['auth.otp.sent', 'auth.login.failed'],
    secretReply: true,
    examples: { body: { email: 'ada@example.com' } },
    handle: async (work, { body }) => {
      const send = { purpose: 'login' as const, email: body.email, provision: null }
      const sent = await sendSignInCode(work, send)
      Object.assign(work.headers, rateHeaders(sent.rate))
      return toSentCode(sent)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/otp/verify',
    scope: 'auth.login',
    tag,
    summary: 'Exchange a sign-in code for a session',
    ...verifyCodeRoute,
    handle: verifyCodeAs('login'),
  }),
]
