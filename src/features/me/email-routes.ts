import { Type } from 'typebox'
import { showRate } from '../../platform/http/rate-limit.ts'
import type { Route } from '../../platform/http/route.ts'
import { Email } from '../../platform/mail/address.ts'
import { doorRoutes } from '../login/login.ts'
import { otpEvents, SentCodeReply, signInCodeErrors, toSentCode, VerifyCodeBody } from '../otp/otp.ts'
import { RevokedCount, sessionEvents } from '../sessions/sessions.ts'
import { userErrors, userEvents } from '../users/users.ts'
import { beginEmailChange, finishEmailChange } from './email.ts'
import { defineWayInRoute } from './own-route.ts'
import { MeReply, toMe } from './schema.ts'

export const ownEmailRoutes: Route[] = [
  defineWayInRoute({
    method: 'POST',
    path: '/v1/me/email',
    operation: 'me.email.begin',
    service: 'auth',
    wayIn: 'otp',
    summary: 'Begin to change one’s own address',
    description: 'Mails a code to the new address. Nothing changes yet, nor is it told whether somebody else has it.',
    body: Type.Object({ email: Email }),
    reply: SentCodeReply,
    errors: [userErrors.scimManaged, ...doorRoutes.sendErrors],
    event: otpEvents.sent,
    async handle(work, { body }) {
      const sent = await beginEmailChange(work, body.email)
      showRate(work, sent)
      return toSentCode(sent)
    },
  }),
  defineWayInRoute({
    method: 'POST',
    path: '/v1/me/email/verify',
    operation: 'me.email.verify',
    service: 'auth',
    wayIn: 'otp',
    summary: 'Change one’s own address with the code',
    description:
      'The mailed code proves the new address. One’s other sessions, trusted devices and sign-ins under way end. The old ' +
      'address is told, with a link that undoes the change for 7 days.',
    body: Type.Object(VerifyCodeBody.properties),
    reply: Type.Object({ user: MeReply.properties.user, sessions_revoked: RevokedCount }),
    errors: [...Object.values(signInCodeErrors), userErrors.emailExists, userErrors.scimManaged],
    event: userEvents.updated,
    maybeEvents: [sessionEvents.revoked, userEvents.deleted],
    async handle(work, { body: { email, otp_id: otpId, code } }) {
      const { user, ended } = await finishEmailChange(work, { email, otpId, code })
      return { user: toMe(user, work.caller), sessions_revoked: ended }
    },
  }),
]
