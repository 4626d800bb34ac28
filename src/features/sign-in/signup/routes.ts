import { Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showRate } from '../../../platform/limits/rate-limit.ts'
import { Email } from '../../../platform/mail/address.ts'
import { doorRoutes, loginErrors, loginEvents } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { SignupProfile, userErrors, userEvents } from '../../directory/users/users.ts'
import { emailVerificationEvents } from '../email-verification/email-verification.ts'
import { linkErrors, linkRoute } from '../links/links.ts'
import { SentCodeReply, sendCodeEvents, toSentCode, verifyCodeAs, verifyCodeRoute } from '../otp/otp.ts'
import { NewPassword, newPasswordErrors } from '../password/password.ts'
import { sendSignupCode, signUpByCode } from './code.ts'
import { signUp } from './direct.ts'
import { sendSignupLink, verifySignupLink } from './email-link.ts'
import { signupEvents } from './events.ts'
import { signupMethod } from './policy.ts'

const tag = 'Sign-up'
const openSignup = Type.Optional(
  Type.Boolean({
    description: 'Whether a user is created if no user has the address. Default: the setting open_signup_default.',
    examples: [true],
  }),
)
const profile = SignupProfile.properties

const directErrors = [
  loginErrors.signupDisabled,
  userErrors.verificationRequired,
  userErrors.emailExists,
  ...doorRoutes.errors,
]
const directRoute = {
  ...doorRoutes.login,
  event: [userEvents.created, ...doorRoutes.login.event],
  maybeEvents: [...doorRoutes.login.maybeEvents, loginEvents.signedUp, emailVerificationEvents.sent],
}
const DIRECT =
  'This call does not prove that the mailbox belongs to the person, so only a new user gets a session. The service mails a link that verifies the address. An address that a user already has is refused with email_exists, or with verification_required if that user has never signed in. If require_email_verification is on, every address is refused with verification_required. POST /v1/auth/signup/otp/send works for all addresses and does not reveal which exist.'

export const signupRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup',
    operation: 'signup.create',
    scope: 'auth.signup',
    takesDevice: true,
    service: 'auth',
    tag,
    summary: 'Sign up without a password',
    description: DIRECT,
    body: Type.Object({ email: Email, openSignup, ...profile }),
    errors: directErrors,
    ...directRoute,
    handle: async (work, { body }) => {
      const { answer } = showRate(work, await signUp(work, body))
      return answer
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/password',
    operation: 'signup.password',
    scope: 'auth.signup',
    takesDevice: true,
    service: 'password',
    tag,
    summary: 'Sign up with a password',
    description: DIRECT,
    body: Type.Object({ email: Email, password: NewPassword, openSignup, ...profile }),
    errors: [...directErrors, ...Object.values(newPasswordErrors)],
    ...directRoute,
    handle: async (work, { body }) => {
      const { answer } = showRate(work, await signUp(work, body))
      return answer
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/otp/send',
    operation: 'signup.otp.send',
    scope: 'auth.signup',
    service: 'otp',
    tag,
    summary: 'Mail a sign-up code',
    description:
      'With openSignup, an unknown address becomes a pending user. A pending user is deleted after 24 hours if the code is not used. Without openSignup, an unknown address gets the same response but no email. Existing users also get a code.',
    body: Type.Object({ email: Email, openSignup, locale: profile.locale }),
    reply: SentCodeReply,
    errors: [loginErrors.signupDisabled, ...doorRoutes.sendErrors],
    maybeEvents: sendCodeEvents,
    handle: async (work, { body }) => {
      const sent = showRate(work, await sendSignupCode(work, body))
      return toSentCode(sent)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/otp/verify',
    operation: 'signup.otp.verify',
    scope: 'auth.signup',
    takesDevice: true,
    tag,
    summary: 'Sign up with a mailed code',
    ...verifyCodeRoute,
    maybeEvents: [...verifyCodeRoute.maybeEvents, userEvents.created],
    handle: verifyCodeAs({ purpose: 'signup', methodOfPending: signupMethod, signUp: signUpByCode }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/authenticate-email/send',
    operation: 'signup.magicLink.send',
    scope: 'auth.signup',
    service: 'magic_link',
    tag,
    summary: 'Mail a sign-up link',
    description:
      'With openSignup, an unknown address gets a link, and the user is created only when the link is used. An existing user gets a sign-in link that is valid for at most magic_link_ttl_seconds. The response is always the same.',
    body: Type.Object({ email: Email, openSignup, ...profile, ...linkRoute.Delivery }),
    reply: Type.Object({ ...linkRoute.Reply.properties, expires_at: Type.String({ format: 'date-time' }) }),
    errors: [loginErrors.signupDisabled, redirectErrors.notAllowed, ...doorRoutes.sendErrors],
    maybeEvents: [signupEvents.linkSent, loginEvents.failed],
    examples: { reply: { delivery_hint: 'a•••@acme.example', expires_at: '2026-11-22T09:40:00.000Z' } },
    handle: async (work, { body }) => {
      const delivery = await linkRoute.readDelivery(work, work.caller, body)
      const sent = showRate(work, await sendSignupLink(work, { ...body, delivery }))
      return {
        delivery_hint: sent.deliveryHint,
        expires_at: sent.expiresAt.toISOString(),
        ...(sent.url === null ? {} : { url: sent.url }),
      }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/authenticate-email/verify',
    operation: 'signup.magicLink.verify',
    scope: 'auth.signup',
    takesDevice: true,
    organizationToken: 'token_hash',
    service: 'magic_link',
    tag,
    summary: 'Sign up with a mailed link',
    body: linkRoute.PresentedBody,
    errors: [loginErrors.signupDisabled, ...Object.values(linkErrors), ...doorRoutes.errors],
    ...doorRoutes.mailboxLogin,
    maybeEvents: [...doorRoutes.mailboxLogin.maybeEvents, userEvents.created],
    handle: (work, { body }) => verifySignupLink(work, { email: body.email, token: body.token_hash }),
  }),
]
