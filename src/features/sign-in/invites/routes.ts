import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, listReply, readPage } from '../../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showRate } from '../../../platform/limits/rate-limit.ts'
import { Email } from '../../../platform/mail/address.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { doorRoutes, loginErrors } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { roleErrors, roleEvents } from '../../directory/roles/roles.ts'
import type { GivenRoles } from '../../directory/users/invited/invited.ts'
import { toUser, User, UserCreate, UserParams, userErrors, userEvents } from '../../directory/users/users.ts'
import { linkErrors, linkRoute } from '../links/links.ts'
import { newPasswordErrors } from '../password/password.ts'
import { inviteErrors } from './errors.ts'
import { inviteEvents } from './events.ts'
import { acceptInvite, getInvite, invite, inviteUser, listInvites, revokeInvite } from './invites.ts'
import {
  AcceptBody,
  CanSignIn,
  DeliveryHint,
  Invite,
  InvitedBy,
  InviteFilters,
  InviteParams,
  InviteUrl,
  MadeInvite,
  RolesApplied,
  toInvite,
} from './schema.ts'

const tag = 'Invitations'
const { displayName, firstName, lastName, locale, role, roleIds } = UserCreate.properties
const named = { role, roleIds, invitedBy: InvitedBy }
const withdrawnInvite: Invite = {
  id: '0198b6f2-5014-7f9a-8f3a-684fdd64a775',
  email: 'ada@acme.example',
  status: 'revoked',
  user_id: '0198b6f2-81d0-7b55-8c0e-2f64a9d7b310',
  directory_user_id: '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21',
  invited_by: 'Grace Hopper',
  sub_org_id: '0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce',
  created_at: '2026-11-22T09:30:00.000Z',
  expires_at: '2026-11-29T09:30:00.000Z',
  accepted_at: null,
  accepted_by: null,
  revoked_at: '2026-11-22T10:00:00.000Z',
}
const refusals = [
  ...doorRoutes.barred,
  httpErrors.organizationSuspended,
  loginErrors.methodDisabled,
  redirectErrors.notAllowed,
  httpErrors.privilegeEscalation,
  roleErrors.managed,
]
const changes = [userEvents.created, userEvents.updated, roleEvents.assigned, roleEvents.unassigned]

/** The roles in a request, with the caller who assigns them. */
function givenRoles({ caller }: { caller: ManagerCaller }, { role, roleIds }: GivenRoles['named']): GivenRoles {
  return {
    named: { ...(role === undefined ? {} : { role }), ...(roleIds === undefined ? {} : { roleIds }) },
    giver: caller,
  }
}

export const inviteRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/users/invites',
    operation: 'invites.list',
    scope: 'users.read',
    directory: 'reach',
    tag,
    summary: 'List invitations',
    description: 'Lists open invitations, and ended invitations for about a month.',
    query: Type.Object({ ...InviteFilters, ...listQuery }),
    reply: Type.Object({
      invites: Type.Array(Invite, { description: 'Invitations of the organization.' }),
      ...listReply,
    }),
    async handle(work, { query }) {
      const page = readPage(work.platform, '/v1/users/invites', query)
      const { rows, reply } = finishPage(work, page, await listInvites(work, query, page), byAge)
      return { invites: rows.map(toInvite), ...reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/invites',
    operation: 'invites.create',
    scope: 'users.write',
    service: 'auth',
    tag,
    summary: 'Invite someone by address',
    description:
      'Mails a link that accepts the invitation. If passwords are on, the user also chooses a first password there. Creates the user, or invites the existing user with this address. Voids the previous invitation of the user. An existing user keeps names and roles, but a user with the status `invited` gets the roles in the request. If the user already has a password or passkey, the email asks the user to sign in instead.',
    body: Type.Object({ email: Email, displayName, firstName, lastName, locale, ...named, ...linkRoute.Delivery }),
    reply: Type.Object({
      user: User,
      invite: MadeInvite,
      delivery_hint: DeliveryHint,
      roles_applied: RolesApplied,
      can_sign_in: CanSignIn,
    }),
    errors: refusals,
    event: [inviteEvents.created, inviteEvents.resent],
    maybeEvents: changes,
    async handle(work, { body }) {
      const { redirectTo, deliver, role, roleIds, ...invitee } = body
      const given = givenRoles(work, body)
      const delivery = await linkRoute.readDelivery(work, work.caller, body)
      const sent = showRate(work, await invite(work, { ...invitee, given }, delivery))
      return {
        user: toUser(sent.user, work.directory.organizationId),
        invite: { ...sent.invite, ...(sent.url === null ? {} : { invite_url: sent.url }) },
        delivery_hint: sent.deliveryHint,
        roles_applied: sent.rolesApplied,
        can_sign_in: sent.canSignIn,
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/users/invites/{inviteId}',
    operation: 'invites.get',
    scope: 'users.read',
    directory: 'reach',
    tag,
    summary: 'Read an invitation',
    params: InviteParams,
    reply: Type.Object({ invite: Invite }),
    errors: [inviteErrors.notFound],
    handle: async (work, { params }) => ({ invite: await getInvite(work, params.inviteId) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/users/invites/{inviteId}',
    operation: 'invites.revoke',
    scope: 'users.write',
    tag,
    summary: 'Withdraw an invitation',
    description:
      'Voids the link of the invitation. The user is not deleted. If the invitation has expired or was already withdrawn, the request succeeds and changes nothing.',
    params: InviteParams,
    reply: Type.Object({ success: Type.Boolean(), invite: Invite }),
    errors: [inviteErrors.notFound, inviteErrors.accepted],
    maybeEvents: [inviteEvents.revoked, userEvents.updated],
    examples: { reply: { success: true, invite: withdrawnInvite } },
    async handle(work, { params }) {
      return { success: true, invite: await revokeInvite(work, params.inviteId) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/invite',
    operation: 'users.invite',
    scope: 'users.write',
    service: 'auth',
    tag,
    summary: 'Invite a user',
    description:
      'Voids the link of the previous invitation. A user with the status `invited` gets the roles in the request. Any other user keeps the current roles.',
    params: UserParams,
    body: Type.Object({ ...named, ...linkRoute.Delivery }),
    reply: Type.Object(
      {
        success: Type.Boolean(),
        delivery_hint: DeliveryHint,
        roles_applied: RolesApplied,
        can_sign_in: CanSignIn,
        invite_url: InviteUrl,
      },
      { description: 'The address that the invitation was mailed to, or its link.' },
    ),
    errors: [userErrors.notFound, ...refusals],
    event: [inviteEvents.created, inviteEvents.resent],
    maybeEvents: changes,
    async handle(work, { params, body }) {
      const delivery = await linkRoute.readDelivery(work, work.caller, body)
      const { invitedBy } = body
      const invitation = { delivery, given: givenRoles(work, body), ...(invitedBy === undefined ? {} : { invitedBy }) }
      const sent = showRate(work, await inviteUser(work, params.userId, invitation))
      return {
        success: true,
        delivery_hint: sent.deliveryHint,
        roles_applied: sent.rolesApplied,
        can_sign_in: sent.canSignIn,
        ...(sent.url === null ? {} : { invite_url: sent.url }),
      }
    },
  }),
  defineRoute({
    ...doorRoutes.mailboxLogin,
    method: 'POST',
    path: '/v1/auth/invite/accept',
    team: true,
    operation: 'invites.accept',
    scope: 'auth.login',
    takesDevice: true,
    organizationToken: 'token',
    service: 'auth',
    tag: 'Authentication',
    summary: 'Accept an invitation',
    description:
      'The link also proves the mailbox of the user. `password` is the user’s first password: it is required if passwords are on, and refused if they are off. If the password is refused, the invitation stays valid. A user who already has a password or passkey cannot accept and signs in instead. An existing team member accepts without a password, gets no session (`sign_in_required`), and signs in as usual.',
    body: AcceptBody,
    errors: [
      inviteErrors.credentialExists,
      ...Object.values(linkErrors),
      ...Object.values(newPasswordErrors),
      ...doorRoutes.errors,
    ],
    event: inviteEvents.accepted,
    // Optional events, because a person who joins the team gets no session.
    maybeEvents: [...doorRoutes.mailboxLogin.event, ...doorRoutes.mailboxLogin.maybeEvents],
    handle: (work, { body }) => acceptInvite(work, body),
  }),
]
