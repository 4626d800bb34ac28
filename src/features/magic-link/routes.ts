import { Type } from 'typebox'
import { rateHeaders } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { linkErrors } from '../links/links.ts'
import {
  Delivery,
  doorErrors,
  Email,
  LinkReply,
  loginErrors,
  readDelivery,
  sendErrors,
  sessionRoute,
  TokenHash,
} from '../login/login.ts'
import { sendMagicLink, verifyMagicLink } from './magic-link.ts'

const tag = 'Authentication'

export const magicLinkRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/magic-link/send',
    scope: 'auth.login',
    service: 'magic_link',
    tag,
    summary: 'Mail a sign-in link',
    description:
      'Mails a link to the address if a user of the organization has it. The answer is the same when nobody has. ' +
      'Where codes are enabled the mail brings two words as well, to type on another device: send them with otp_id to ' +
      'POST /v1/auth/login/otp/verify.',
    body: Type.Object({ email: Email, ...Delivery }),
    reply: Type.Object({
      ...LinkReply.properties,
      expires_at: Type.String({ format: 'date-time' }),
      otp_id: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        format: 'uuid',
        description: 'Of the words in the mail; null where it has none.',
      }),
    }),
    errors: [...sendErrors, loginErrors.invalidRedirectUri],
    maybeEvents: ['auth.magic_link.sent', 'auth.login.failed'],
    secretReply: true,
    examples: { body: { email: 'ada@example.com' } },
    handle: async (work, { body }) => {
      const delivery = await readDelivery(work, work.principal, body)
      const sent = await sendMagicLink(work, { email: body.email, delivery })
      Object.assign(work.headers, rateHeaders(sent.rate))
      return {
        delivery_hint: sent.deliveryHint,
        expires_at: sent.expiresAt.toISOString(),
        otp_id: sent.otpId,
        ...(sent.url === null ? {} : { url: sent.url }),
      }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/magic-link/verify',
    scope: 'auth.login',
    service: 'magic_link',
    tag,
    summary: 'Exchange a sign-in link for a session',
    description:
      'Call it when the person acts on the page that the link leads to: programs that scan mails follow links.',
    body: Type.Object({ email: Email, token_hash: TokenHash }),
    errors: [...Object.values(linkErrors), ...doorErrors],
    ...sessionRoute,
    handle: (work, { body }) => verifyMagicLink(work, { email: body.email, token: body.token_hash }),
  }),
]
