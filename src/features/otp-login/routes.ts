import { Type } from 'typebox'
import { showRate } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { Email, sendErrors } from '../login/login.ts'
import { sendSignInCode } from './otp-login.ts'
import { SentCodeReply, sendCodeEvents, toSentCode } from './schema.ts'
import { verifyCodeAs, verifyCodeRoute } from './verify-route.ts'

const tag = 'Authentication'

export const otpLoginRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/otp/send',
    operation: 'login.otp.send',
    scope: 'auth.login',
    service: 'otp',
    tag,
    summary: 'Mail a sign-in code',
    description:
      'Mails two words to the address if a user of the organization has it. The response is the same if no user has. ' +
      'Within resend_interval_seconds a second call sends no second email, and the code on its way stays valid.',
    body: Type.Object({ email: Email }),
    reply: SentCodeReply,
    errors: sendErrors,
    maybeEvents: sendCodeEvents,
    handle: async (work, { body }) => {
      const send = { purpose: 'login' as const, email: body.email, provision: null }
      const sent = showRate(work, await sendSignInCode(work, send))
      return toSentCode(sent)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/otp/verify',
    operation: 'login.otp.verify',
    scope: 'auth.login',
    takesDevice: true,
    tag,
    summary: 'Exchange a sign-in code for a session',
    ...verifyCodeRoute,
    handle: verifyCodeAs('login'),
  }),
]
