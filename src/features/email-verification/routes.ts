import { Type } from 'typebox'
import { rateHeaders } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { linkErrors } from '../links/links.ts'
import { Delivery, doorErrors, Email, LinkReply, loginErrors, readDelivery, TokenHash } from '../login/login.ts'
import { Password, passwordErrors } from '../password/password.ts'
import { UserParams, userErrors } from '../users/users.ts'
import { resendVerification, verifyEmail } from './email-verification.ts'

export const emailVerificationRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/verify/resend',
    scope: 'users.write',
    service: 'auth',
    tag: 'Users',
    summary: 'Mail a user a link that verifies their address',
    description: 'A newer link voids the older ones. Makes the auth account if there is none.',
    params: UserParams,
    body: Type.Object(Delivery),
    reply: Type.Object({
      success: Type.Boolean(),
      delivery_hint: Type.Optional(LinkReply.properties.delivery_hint),
      already_verified: Type.Optional(Type.Boolean({ description: 'true: there was nothing to send.' })),
      url: LinkReply.properties.url,
    }),
    errors: [userErrors.notFound, loginErrors.invalidRedirectUri, ...doorErrors],
    maybeEvents: ['auth.email_verification.sent'],
    secretReply: true,
    handle: async (work, { params, body }) => {
      const delivery = await readDelivery(work, work.principal, body)
      const sent = await resendVerification(work, params.userId, delivery)
      if (!sent) return { success: true, already_verified: true }
      Object.assign(work.headers, rateHeaders(sent.rate))
      return { success: true, delivery_hint: sent.deliveryHint, ...(sent.url === null ? {} : { url: sent.url }) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/email/verify',
    scope: 'auth.login',
    service: 'auth',
    tag: 'Authentication',
    summary: 'Verify an address with a mailed link',
    description:
      'Makes no session. Whoever registers an address before its owner must not keep a way in: the first proof of the ' +
      'mailbox ends every session and removes the password. With `password`, the one that the person chose when they ' +
      'signed up, the password stays; a wrong one counts as a failed sign-in and leaves the link as it was.',
    body: Type.Object({ email: Email, token_hash: TokenHash, password: Type.Optional(Password) }),
    reply: Type.Object({
      success: Type.Boolean(),
      user_id: Type.String({ format: 'uuid' }),
      directory_user_id: Type.String({ format: 'uuid' }),
    }),
    errors: [...Object.values(linkErrors), passwordErrors.invalidCredentials, ...doorErrors],
    maybeEvents: ['user.email_verified', 'session.revoked'],
    secretReply: true,
    handle: async (work, { body }) => {
      const { email, token_hash: token, password } = body
      const presented = { email, token, ...(password === undefined ? {} : { password }) }
      const verified = await verifyEmail(work, presented)
      return { success: true, user_id: verified.userId, directory_user_id: verified.directoryUserId }
    },
  }),
]
