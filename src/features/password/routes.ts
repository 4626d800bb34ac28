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
  SessionReply,
  sendErrors,
  TokenHash,
} from '../login/login.ts'
import { UserParams, userErrors } from '../users/users.ts'
import { sendResetTo, setPasswordOf } from './administration.ts'
import { passwordErrors } from './errors.ts'
import { confirmReset, sendReset } from './reset.ts'
import { NewPassword, Password } from './schema.ts'
import { signInWithPassword } from './sign-in.ts'

const tag = 'Authentication'
const { invalidCredentials, passwordResetDisabled, passwordChangeRequired, verificationRequired } = passwordErrors
const linkDeliveryErrors = [loginErrors.invalidRedirectUri, passwordResetDisabled]

export const passwordRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/password',
    scope: 'auth.login',
    service: 'password',
    tag,
    summary: 'Exchange a password for a session',
    description:
      'Wrong passwords lock an address for a while (lockout_* of the settings), whether or not anybody has it. ' +
      'Send X-End-User-IP: then one network is stopped before the address is.',
    body: Type.Object({ email: Email, password: Password }),
    reply: SessionReply,
    errors: [invalidCredentials, passwordChangeRequired, verificationRequired, ...doorErrors],
    event: ['auth.login.succeeded', 'mfa.challenge.created'],
    maybeEvents: ['session.created', 'session.revoked'],
    secretReply: true,
    handle: async (work, { body }) => signInWithPassword(work, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/password/reset/send',
    scope: 'auth.login',
    service: 'password',
    tag,
    summary: 'Mail a link to choose a new password',
    description: 'The answer is the same when nobody has the address.',
    body: Type.Object({ email: Email, ...Delivery }),
    reply: LinkReply,
    errors: [...sendErrors, ...linkDeliveryErrors],
    maybeEvents: ['auth.password_reset.requested', 'auth.login.failed'],
    secretReply: true,
    handle: async (work, { body }) => {
      const delivery = await readDelivery(work, work.principal, body)
      const sent = await sendReset(work, { email: body.email, delivery })
      Object.assign(work.headers, rateHeaders(sent.rate))
      return { delivery_hint: sent.deliveryHint, ...(sent.url === null ? {} : { url: sent.url }) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/password/reset/confirm',
    scope: 'auth.login',
    service: 'password',
    tag,
    summary: 'Choose a new password and get a session',
    description:
      'With the token of a mailed link, or of a password_change_required. Every session, code and link from before ' +
      'ends, and the user is told by mail. A password that is refused leaves the link as it was.',
    body: Type.Object({ email: Email, token_hash: TokenHash, password: NewPassword }),
    reply: SessionReply,
    errors: [...Object.values(linkErrors), ...Object.values(credentialErrors), passwordResetDisabled, ...doorErrors],
    event: 'auth.password.changed',
    maybeEvents: [
      'auth.password_reset.completed',
      'auth.login.succeeded',
      'mfa.challenge.created',
      'session.created',
      'session.revoked',
      'user.email_verified',
    ],
    secretReply: true,
    handle: async (work, { body }) =>
      confirmReset(work, { email: body.email, token: body.token_hash, password: body.password }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/password/reset',
    scope: 'users.write',
    service: 'password',
    tag: 'Users',
    summary: 'Mail a user a link to choose a new password',
    params: UserParams,
    body: Type.Object(Delivery),
    reply: Type.Object({ success: Type.Boolean(), ...LinkReply.properties }),
    errors: [
      userErrors.notFound,
      loginErrors.userInactive,
      loginErrors.organizationSuspended,
      loginErrors.methodDisabled,
      verificationRequired,
      ...linkDeliveryErrors,
    ],
    event: 'auth.password_reset.requested',
    secretReply: true,
    handle: async (work, { params, body }) => {
      const sent = await sendResetTo(work, params.userId, await readDelivery(work, work.principal, body))
      Object.assign(work.headers, rateHeaders(sent.rate))
      return { success: true, delivery_hint: sent.deliveryHint, ...(sent.url === null ? {} : { url: sent.url }) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/users/{userId}/password',
    scope: 'users.write',
    service: 'password',
    tag: 'Users',
    summary: 'Set a user’s password',
    description:
      'Makes the auth account if there is none. A lock, and codes and links on their way to the user, end, and by ' +
      'default every session; the user is told by mail.',
    params: UserParams,
    body: Type.Object({
      password: NewPassword,
      revokeSessions: Type.Optional(Type.Boolean({ description: 'Default true.' })),
      mustChange: Type.Optional(
        Type.Boolean({ description: 'The next sign-in with it has to choose another. Default false.' }),
      ),
    }),
    reply: Type.Object({ success: Type.Boolean(), sessions_revoked: Type.Integer() }),
    errors: [userErrors.notFound, loginErrors.methodDisabled, verificationRequired, ...Object.values(credentialErrors)],
    event: 'auth.password.changed',
    maybeEvents: ['session.revoked', 'user.unlocked'],
    secretReply: true,
    handle: async (work, { params, body }) => {
      const { password, revokeSessions = true, mustChange = false } = body
      const revoked = await setPasswordOf(work, params.userId, { password, revokeSessions, mustChange })
      return { success: true, sessions_revoked: revoked }
    },
  }),
]
