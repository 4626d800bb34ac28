import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showRate } from '../../../platform/limits/rate-limit.ts'
import { Email } from '../../../platform/mail/address.ts'
import { RevokedCount } from '../../../platform/schema.ts'
import { doorRoutes, loginErrors, loginEvents } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { UserParams, userErrors, userEvents } from '../../directory/users/users.ts'
import { deliveryErrors, linkErrors, linkRoute } from '../links/links.ts'
import { preparePassword, sendResetTo, setPasswordOf } from './administration.ts'
import { newPasswordErrors, passwordErrors } from './errors.ts'
import { passwordEvents } from './events.ts'
import { confirmReset, sendReset } from './reset.ts'
import { NewPassword, Password } from './schema.ts'
import { signInWithPassword } from './sign-in.ts'

const tag = 'Authentication'
const { invalidCredentials, passwordResetDisabled, passwordChangeRequired } = passwordErrors
const { verificationRequired } = userErrors
const linkDeliveryErrors = [redirectErrors.notAllowed, passwordResetDisabled]

export const passwordRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/login/password',
    team: true,
    operation: 'login.password',
    scope: 'auth.login',
    takesDevice: true,
    service: 'password',
    tag,
    summary: 'Exchange a password for a session',
    description:
      'Wrong passwords lock the address for a while (settings `lockout_*`), whether or not a user has the address. Send X-End-User-IP, so that only the network of the wrong passwords is locked at first, and not the address for all networks.',
    body: Type.Object({ email: Email, password: Password }),
    errors: [invalidCredentials, passwordChangeRequired, verificationRequired, ...doorRoutes.errors],
    ...doorRoutes.login,
    handle: async (work, { body }) => signInWithPassword(work, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/password/reset/send',
    team: true,
    operation: 'passwordReset.send',
    scope: 'auth.login',
    service: 'password',
    tag,
    summary: 'Mail a password reset link',
    description: 'Mails a link that sets a new password. The response is the same if no user has the address.',
    body: Type.Object({ email: Email, ...linkRoute.Delivery }),
    reply: linkRoute.Reply,
    errors: [...doorRoutes.sendErrors, ...linkDeliveryErrors, deliveryErrors.teamLinkWithheld],
    maybeEvents: [passwordEvents.resetRequested, loginEvents.failed],
    handle: async (work, { body }) => {
      const delivery = await linkRoute.readDelivery(work, work.caller, body)
      const sent = showRate(work, await sendReset(work, { email: body.email, delivery }))
      return { delivery_hint: sent.deliveryHint, ...(sent.url === null ? {} : { url: sent.url }) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/password/reset/confirm',
    team: true,
    operation: 'passwordReset.complete',
    scope: 'auth.login',
    takesDevice: true,
    organizationToken: 'token_hash',
    service: 'password',
    tag,
    summary: 'Reset a password by link',
    description:
      'Sets a new password and signs the user in. Send the token of a mailed link, or the `token_hash` of an error `password_change_required`. Ends every earlier session, code and link, and notifies the user by email. If the new password is refused, the link stays valid. If the token came from `password_change_required` and a second factor is required, the password changes only when the challenge is completed.',
    body: Type.Object({ email: Email, token_hash: linkRoute.TokenHash, password: NewPassword }),
    reply: doorRoutes.login.reply,
    errors: [
      ...Object.values(linkErrors),
      ...Object.values(newPasswordErrors),
      passwordResetDisabled,
      ...doorRoutes.errors,
    ],
    // A password that must be changed is changed only after the second factor.
    event: [passwordEvents.changed, loginEvents.challengeCreated],
    maybeEvents: [
      passwordEvents.resetCompleted,
      ...doorRoutes.login.event,
      ...doorRoutes.login.maybeEvents,
      userEvents.emailVerified,
      userEvents.unlocked,
    ],
    handle: async (work, { body }) =>
      confirmReset(work, { email: body.email, token: body.token_hash, password: body.password }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/password/reset',
    operation: 'users.sendPasswordReset',
    scope: 'users.write',
    service: 'password',
    tag: 'Users',
    summary: 'Mail a user a reset link',
    params: UserParams,
    body: Type.Object(linkRoute.Delivery),
    reply: Type.Object({ success: Type.Boolean(), ...linkRoute.Reply.properties }),
    errors: [
      userErrors.notFound,
      ...doorRoutes.barred,
      httpErrors.organizationSuspended,
      loginErrors.methodDisabled,
      loginErrors.ssoRequired,
      verificationRequired,
      ...linkDeliveryErrors,
    ],
    event: passwordEvents.resetRequested,
    examples: { reply: { success: true, delivery_hint: 'a•••@acme.example' } },
    handle: async (work, { params, body }) => {
      const sent = showRate(
        work,
        await sendResetTo(work, params.userId, await linkRoute.readDelivery(work, work.caller, body)),
      )
      return { success: true, delivery_hint: sent.deliveryHint, ...(sent.url === null ? {} : { url: sent.url }) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/users/{userId}/password',
    operation: 'users.setPassword',
    scope: 'users.write',
    service: 'password',
    tag: 'Users',
    summary: 'Set a user’s password',
    description:
      'Creates the user’s auth account (`userId`) if there is none. Invalidates codes and links that were sent, ends locks caused by failed attempts, and by default ends every session. An administrator’s lock remains. The user is notified by email.',
    params: UserParams,
    body: Type.Object({
      password: NewPassword,
      revokeSessions: Type.Optional(Type.Boolean({ description: 'Ends every session of the user. Default `true`.' })),
      mustChange: Type.Optional(
        Type.Boolean({
          description: 'Whether the user must choose another password at the next sign-in. Default false.',
        }),
      ),
    }),
    reply: Type.Object({ success: Type.Boolean(), sessions_revoked: RevokedCount }),
    errors: [
      userErrors.notFound,
      loginErrors.methodDisabled,
      verificationRequired,
      ...Object.values(newPasswordErrors),
    ],
    event: passwordEvents.changed,
    maybeEvents: [sessionEvents.revoked, userEvents.unlocked, userEvents.updated],
    prepare: (work, { params, body }) => preparePassword(work, params.userId, body.password),
    handle: async (work, { body }, prepared) => {
      const { revokeSessions = true, mustChange = false } = body
      const revoked = await setPasswordOf(work, prepared, { revokeSessions, mustChange })
      return { success: true, sessions_revoked: revoked }
    },
  }),
]
