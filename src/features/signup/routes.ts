import { Type } from 'typebox'
import { rateHeaders } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { credentialErrors } from '../credentials/credentials.ts'
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
import { SentCodeReply, toSentCode, verifyCodeAs, verifyCodeRoute } from '../otp-login/otp-login.ts'
import { NewPassword, passwordErrors } from '../password/password.ts'
import { SignupProfile, userErrors } from '../users/users.ts'
import { signUp } from './direct.ts'
import { sendSignupLink, verifySignupLink } from './email-link.ts'
import { sendSignupCode } from './signup.ts'

const tag = 'Sign-up'
const openSignup = Type.Optional(Type.Boolean({ description: 'Default: the setting open_signup_default.' }))
const profile = SignupProfile.properties

const directErrors = [
  loginErrors.signupDisabled,
  passwordErrors.verificationRequired,
  userErrors.emailExists,
  ...doorErrors,
]
const directRoute = {
  ...sessionRoute,
  event: ['user.created', 'auth.login.succeeded', 'mfa.challenge.created'],
  maybeEvents: ['auth.signup.succeeded', 'session.created', 'auth.email_verification.sent'],
}
const DIRECT =
  'Nobody has proved the mailbox, so a session is for a user that this very call makes: whoever exists already is ' +
  'answered email_exists, or verification_required if they never signed in, and so is everybody where ' +
  'require_email_verification is on. POST /v1/auth/signup/otp/send serves all of them, and tells nobody who exists. ' +
  'A mail asks for the proof.'

export const signupRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup',
    scope: 'auth.signup',
    service: 'auth',
    tag,
    summary: 'Sign up without a password',
    description: DIRECT,
    body: Type.Object({ email: Email, openSignup, ...profile }),
    errors: directErrors,
    ...directRoute,
    handle: async (work, { body }) => {
      const { answer, rate } = await signUp(work, body)
      Object.assign(work.headers, rateHeaders(rate))
      return answer
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/password',
    scope: 'auth.signup',
    service: 'password',
    tag,
    summary: 'Sign up with a password',
    description: DIRECT,
    body: Type.Object({ email: Email, password: NewPassword, openSignup, ...profile }),
    errors: [...directErrors, ...Object.values(credentialErrors)],
    ...directRoute,
    handle: async (work, { body }) => {
      const { answer, rate } = await signUp(work, body)
      Object.assign(work.headers, rateHeaders(rate))
      return answer
    },
  }),
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
    body: Type.Object({ email: Email, openSignup }),
    reply: SentCodeReply,
    errors: [loginErrors.signupDisabled, ...sendErrors],
    maybeEvents: ['auth.otp.sent', 'auth.login.failed', 'user.created'],
    secretReply: true,
    handle: async (work, { body }) => {
      const sent = await sendSignupCode(work, body)
      Object.assign(work.headers, rateHeaders(sent.rate))
      return toSentCode(sent)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/otp/verify',
    scope: 'auth.signup',
    tag,
    summary: 'Exchange a sign-up code for a session',
    ...verifyCodeRoute,
    handle: verifyCodeAs('signup'),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/signup/authenticate-email/send',
    scope: 'auth.signup',
    service: 'magic_link',
    tag,
    summary: 'Mail a sign-up link',
    description:
      'With openSignup the link makes the user when it is redeemed, and nothing before. Whoever exists already gets a ' +
      'link that signs them in, for magic_link_ttl_seconds at most. The answer is the same for everybody.',
    body: Type.Object({ email: Email, openSignup, ...profile, ...Delivery }),
    reply: Type.Object({ ...LinkReply.properties, expires_at: Type.String({ format: 'date-time' }) }),
    errors: [loginErrors.signupDisabled, loginErrors.invalidRedirectUri, ...sendErrors],
    maybeEvents: ['auth.signup_link.sent', 'auth.login.failed'],
    secretReply: true,
    handle: async (work, { body }) => {
      const delivery = await readDelivery(work, work.principal, body)
      const sent = await sendSignupLink(work, { ...body, delivery })
      Object.assign(work.headers, rateHeaders(sent.rate))
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
    scope: 'auth.signup',
    service: 'magic_link',
    tag,
    summary: 'Exchange a sign-up link for a session',
    body: Type.Object({ email: Email, token_hash: TokenHash }),
    errors: [loginErrors.signupDisabled, ...Object.values(linkErrors), ...doorErrors],
    ...sessionRoute,
    maybeEvents: [...sessionRoute.maybeEvents, 'user.created'],
    handle: (work, { body }) => verifySignupLink(work, { email: body.email, token: body.token_hash }),
  }),
]
