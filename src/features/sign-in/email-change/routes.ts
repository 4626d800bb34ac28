import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showRate } from '../../../platform/limits/rate-limit.ts'
import { Email } from '../../../platform/mail/address.ts'
import { RevokedCount, Success } from '../../../platform/schema.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { defineSignInMethodRoute, MeReply, toMe } from '../../access/self-management/self-management.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { userErrors, userEvents } from '../../directory/users/users.ts'
import { inviteEvents } from '../invites/invites.ts'
import { linkErrors, linkRoute } from '../links/links.ts'
import { otpEvents, SentCodeReply, signInCodeErrors, toSentCode } from '../otp/otp.ts'
import { beginEmailChange, finishEmailChange, finishEmailChangeByLink } from './email-change.ts'
import { emailChangeErrors } from './errors.ts'
import { emailChangeEvents } from './events.ts'
import { EmailProofBody, readEmailProof } from './schema.ts'
import { undoEmailChange, undoEmailEvents } from './undo.ts'

export const ownEmailRoutes: Route[] = [
  defineSignInMethodRoute({
    method: 'POST',
    path: '/v1/me/email',
    operation: 'me.email.start',
    service: 'auth',
    signInMethod: 'otp',
    summary: 'Start changing your email address',
    description:
      'Mails a code to the new address, and with redirectTo also a link. The address does not change until it is confirmed. The response does not reveal whether the new address is taken.',
    body: Type.Object({
      email: Email,
      redirectTo: Type.Optional(
        Type.String({
          maxLength: 2048,
          description: 'URL that the link opens: an entry of allowed_redirect_uris. Default: no link, only the code.',
        }),
      ),
    }),
    reply: SentCodeReply,
    errors: [
      userErrors.scimManaged,
      emailChangeErrors.emailOfTeam,
      redirectErrors.notAllowed,
      ...doorRoutes.sendErrors,
    ],
    event: otpEvents.sent,
    async handle(work, { body }) {
      const { email, redirectTo = null } = body
      const sent = await beginEmailChange(work, { email, redirectTo })
      showRate(work, sent)
      return toSentCode(sent)
    },
  }),
  defineSignInMethodRoute({
    method: 'POST',
    path: '/v1/me/email/verify',
    operation: 'me.email.verify',
    service: 'auth',
    signInMethod: 'otp',
    summary: 'Confirm your new email address',
    description:
      'Send otp_id with code, or token_hash of the link. The link works only in the session that requested the change. Ends your other sessions, removes all trusted devices, and cancels sign-ins in progress. The old address gets an email with a link that undoes the change for 7 days.',
    body: EmailProofBody,
    reply: Type.Object({ user: MeReply.properties.user, sessions_revoked: RevokedCount }),
    errors: [
      ...Object.values(signInCodeErrors),
      ...Object.values(linkErrors),
      userErrors.emailExists,
      userErrors.scimManaged,
      emailChangeErrors.emailOfTeam,
    ],
    event: userEvents.updated,
    maybeEvents: [sessionEvents.revoked, userEvents.deleted, inviteEvents.revoked],
    async handle(work, { body }) {
      const [{ email }, proof] = [body, readEmailProof(body)]
      const changed =
        'token' in proof
          ? finishEmailChangeByLink(work, { email, ...proof })
          : finishEmailChange(work, { email, ...proof })
      const { user, ended } = await changed
      return { user: await toMe(work, user), sessions_revoked: ended }
    },
  }),
]

/** Routes that the customer's backend calls for a person who followed a mailed link. */
export const undoEmailRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/email/undo',
    operation: 'auth.undoEmailChange',
    scope: 'auth.login',
    organizationToken: 'token_hash',
    service: 'auth',
    tag: 'Authentication',
    summary: 'Undo an email change by link',
    description:
      'Restores the old address with the link that was mailed to it. Ends all sessions of the user and invalidates all mailed links.',
    body: linkRoute.PresentedBody,
    reply: Success,
    errors: [
      ...Object.values(linkErrors),
      userErrors.emailExists,
      userErrors.scimManaged,
      httpErrors.organizationSuspended,
    ],
    event: emailChangeEvents.emailRestored,
    maybeEvents: undoEmailEvents.filter((event) => event !== emailChangeEvents.emailRestored),
    async handle(work, { body }) {
      await undoEmailChange(work, { email: body.email, token: body.token_hash })
      return { success: true }
    },
  }),
]
