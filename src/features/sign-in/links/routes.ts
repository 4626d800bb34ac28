import { Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showRate } from '../../../platform/limits/rate-limit.ts'
import { Email } from '../../../platform/mail/address.ts'
import { doorRoutes, loginEvents } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { linkErrors } from './errors.ts'
import { magicLinkEvents } from './events.ts'
import { sendMagicLink, verifyMagicLink } from './magic-link/magic-link.ts'
import { Delivery, PresentedLinkBody, SentMagicLinkReply, toSentMagicLink } from './schema.ts'
import { readDelivery } from './send-link/send-link.ts'

const tag = 'Authentication'

export const linkRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/magic-link/send',
    operation: 'login.magicLink.send',
    scope: 'auth.login',
    service: 'magic_link',
    tag,
    summary: 'Mail a sign-in link',
    description:
      'Mails a link to the address if it belongs to a user of the organization. The response is the same for unknown addresses. If codes are enabled, the email also contains a code of two words that the user can type on another device. Send that code with otp_id to POST /v1/auth/login/otp/verify.',
    body: Type.Object({ email: Email, ...Delivery }),
    reply: SentMagicLinkReply,
    errors: [...doorRoutes.sendErrors, redirectErrors.notAllowed],
    maybeEvents: [magicLinkEvents.sent, loginEvents.failed],
    handle: async (work, { body }) => {
      const delivery = await readDelivery(work, work.caller, body)
      return toSentMagicLink(showRate(work, await sendMagicLink(work, { email: body.email, delivery })))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/magic-link/verify',
    operation: 'login.magicLink.verify',
    scope: 'auth.login',
    takesDevice: true,
    organizationToken: 'token_hash',
    service: 'magic_link',
    tag,
    summary: 'Sign in with a mailed link',
    description:
      'Call this only when the user acts on the page that the link opens, because mail scanners also open links.',
    body: PresentedLinkBody,
    errors: [...Object.values(linkErrors), ...doorRoutes.errors],
    ...doorRoutes.mailboxLogin,
    handle: (work, { body }) => verifyMagicLink(work, { email: body.email, token: body.token_hash }),
  }),
]
