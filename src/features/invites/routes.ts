import { Type } from 'typebox'
import { byAge, finishPage, listQuery, listReply, readPage } from '../../platform/http/pagination.ts'
import { rateHeaders } from '../../platform/http/rate-limit.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { credentialErrors } from '../credentials/credentials.ts'
import { linkErrors } from '../links/links.ts'
import { Delivery, doorErrors, Email, loginErrors, readDelivery, sessionRoute } from '../login/login.ts'
import { toUser, User, UserCreate, UserParams, userErrors } from '../users/users.ts'
import { inviteErrors } from './errors.ts'
import { acceptInvite, invite, inviteUser, listInvites, revokeInvite } from './invites.ts'
import { AcceptBody, Invite, InviteFilters, InviteParams, MadeInvite, toInvite } from './schema.ts'

const tag = 'Invitations'
const { displayName, firstName, lastName } = UserCreate.properties
const refusals = [
  loginErrors.userInactive,
  loginErrors.organizationSuspended,
  loginErrors.methodDisabled,
  loginErrors.invalidRedirectUri,
]

export const inviteRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/users/invites',
    scope: 'users.read',
    directory: 'reach',
    tag,
    summary: 'List invitations',
    description: 'Those that are over are listed for about a month.',
    query: Type.Object({ ...InviteFilters, ...listQuery }),
    reply: Type.Object({ invites: Type.Array(Invite), ...listReply }),
    async handle(work, { query }) {
      const page = readPage(work.platform, '/v1/users/invites', query)
      const { rows, reply } = finishPage(work, page, await listInvites(work, query, page), byAge)
      return { invites: rows.map(toInvite), ...reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/invites',
    scope: 'users.write',
    service: 'password',
    tag,
    summary: 'Invite somebody by their address',
    description:
      'Mails a link to choose a first password. Makes the user, or takes whoever has the address, unchanged; the ' +
      'invitation before dies. Whoever has a password already is asked by the mail to sign in with it.',
    body: Type.Object({ email: Email, displayName, firstName, lastName, ...Delivery }),
    reply: Type.Object({ user: User, invite: MadeInvite, delivery_hint: Type.String() }),
    errors: refusals,
    event: ['invite.created', 'invite.resent'],
    maybeEvents: ['user.created'],
    secretReply: true,
    examples: { body: { email: 'ada@example.com', firstName: 'Ada' } },
    async handle(work, { body }) {
      const { redirectTo, deliver, ...invitee } = body
      const sent = await invite(work, invitee, await readDelivery(work, work.principal, body))
      Object.assign(work.headers, rateHeaders(sent.rate))
      return {
        user: toUser(sent.user, work.directory.organizationId),
        invite: { ...sent.invite, ...(sent.url === null ? {} : { invite_url: sent.url }) },
        delivery_hint: sent.deliveryHint,
      }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/users/invites/{inviteId}',
    scope: 'users.write',
    tag,
    summary: 'Withdraw an invitation',
    description:
      'Its link dies; the user stays, as they may have been there before. Withdrawing one that has expired or was ' +
      'withdrawn succeeds and does nothing.',
    params: InviteParams,
    reply: Type.Object({ success: Type.Boolean(), invite: Invite }),
    errors: [inviteErrors.notFound, inviteErrors.accepted],
    maybeEvents: ['invite.revoked'],
    async handle(work, { params }) {
      return { success: true, invite: await revokeInvite(work, params.inviteId) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/invite',
    scope: 'users.write',
    service: 'password',
    tag,
    summary: 'Invite a user, or invite them again',
    description: 'The link of the invitation before dies.',
    params: UserParams,
    body: Type.Object(Delivery),
    reply: Type.Object({
      success: Type.Boolean(),
      delivery_hint: Type.String(),
      invite_url: Type.Optional(Type.String({ description: 'Only with deliver false.' })),
    }),
    errors: [userErrors.notFound, ...refusals],
    event: ['invite.created', 'invite.resent'],
    maybeEvents: ['user.created'],
    secretReply: true,
    async handle(work, { params, body }) {
      const sent = await inviteUser(work, params.userId, await readDelivery(work, work.principal, body))
      Object.assign(work.headers, rateHeaders(sent.rate))
      return {
        success: true,
        delivery_hint: sent.deliveryHint,
        ...(sent.url === null ? {} : { invite_url: sent.url }),
      }
    },
  }),
  defineRoute({
    ...sessionRoute,
    method: 'POST',
    path: '/v1/auth/invite/accept',
    scope: 'auth.login',
    service: 'password',
    tag: 'Authentication',
    summary: 'Accept an invitation with a first password',
    description:
      'The link proves the mailbox. A password that is refused leaves the invitation as it was. Whoever has a password ' +
      'already has to sign in with it.',
    body: AcceptBody,
    errors: [
      inviteErrors.credentialExists,
      ...Object.values(linkErrors),
      ...Object.values(credentialErrors),
      ...doorErrors,
    ],
    maybeEvents: [...sessionRoute.maybeEvents, 'invite.accepted'],
    handle: (work, { body }) => acceptInvite(work, body),
  }),
]
