import { Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showRate } from '../../../platform/limits/rate-limit.ts'
import { Email } from '../../../platform/mail/address.ts'
import { described } from '../../../platform/schema.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { UserParams, userErrors } from '../../directory/users/users.ts'
import { linkErrors, linkRoute } from '../links/links.ts'
import { Password, passwordErrors } from '../password/password.ts'
import { resendVerification, verifyEmail } from './email-verification.ts'
import { emailVerificationEvents } from './events.ts'

export const emailVerificationRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/verify/resend',
    operation: 'users.sendVerification',
    scope: 'users.write',
    service: 'auth',
    tag: 'Users',
    summary: 'Resend the verification email',
    description:
      'Mails a link that verifies the address, and voids older links. Creates the user’s auth account (`userId`) if there is none.',
    params: UserParams,
    body: Type.Object(linkRoute.Delivery),
    reply: Type.Object({
      success: Type.Boolean(),
      delivery_hint: Type.Optional(linkRoute.Reply.properties.delivery_hint),
      already_verified: Type.Optional(
        Type.Boolean({ description: '`true` if the address is already verified and no email was sent.' }),
      ),
      url: linkRoute.Reply.properties.url,
    }),
    errors: [userErrors.notFound, redirectErrors.notAllowed, ...doorRoutes.errors],
    maybeEvents: [emailVerificationEvents.sent],
    examples: { reply: { success: true, delivery_hint: 'a•••@acme.example' } },
    handle: async (work, { params, body }) => {
      const delivery = await linkRoute.readDelivery(work, work.caller, body)
      const sent = await resendVerification(work, params.userId, delivery)
      if (!sent) return { success: true, already_verified: true }
      showRate(work, sent)
      return { success: true, delivery_hint: sent.deliveryHint, ...(sent.url === null ? {} : { url: sent.url }) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/email/verify',
    operation: 'auth.verifyEmail',
    scope: 'auth.login',
    organizationToken: 'token_hash',
    service: 'auth',
    tag: 'Authentication',
    summary: 'Verify an email address by link',
    description:
      'Does not create a session. The first verification of an address ends all sessions of the user and removes the password, so that someone who registered another person’s address loses access. To keep the password, send the password that the user chose at sign-up as `password`. A wrong password counts as a failed sign-in and leaves the link valid.',
    body: Type.Object({
      email: Email,
      token_hash: linkRoute.TokenHash,
      password: Type.Optional(
        described(
          Password,
          'The password that the user chose at sign-up. Send it to keep the password. If absent, the password is removed.',
        ),
      ),
    }),
    reply: Type.Object({
      success: Type.Boolean(),
      user_id: Type.String({ format: 'uuid' }),
      directory_user_id: Type.String({ format: 'uuid' }),
    }),
    errors: [...Object.values(linkErrors), passwordErrors.invalidCredentials, ...doorRoutes.errors],
    maybeEvents: doorRoutes.proofEvents,
    handle: async (work, { body }) => {
      const { email, token_hash: token, password } = body
      const presented = { email, token, ...(password === undefined ? {} : { password }) }
      const verified = await verifyEmail(work, presented)
      return { success: true, user_id: verified.userId, directory_user_id: verified.directoryUserId }
    },
  }),
]
