import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, listReply, readPage } from '../../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { Email } from '../../../platform/mail/address.ts'
import { described, nullable } from '../../../platform/schema.ts'
import { doorRoutes, loginErrors } from '../../access/login/login.ts'
import { UserCreate } from '../../directory/users/users.ts'
import { inviteErrors } from '../../sign-in/invites/invites.ts'
import { toMembers } from './access.ts'
import { memberErrors } from './errors.ts'
import { memberEvents } from './events.ts'
import { getInviteRow, inviteMember, withdrawInvite } from './inviting.ts'
import { changeRole, getMemberRow, removeMember } from './members.ts'
import { listRoster, replaceRoster, rosterScope } from './roster.ts'
import {
  Member,
  MemberListReply,
  MemberParams,
  MemberReply,
  Role,
  RosterEntry,
  RosterParams,
  RosterReply,
  TeamInvite,
  TeamInviteParams,
  toTeamInvite,
} from './schema.ts'
import { findMemberPage } from './store.ts'

const tag = 'Team'
const MAX_ROSTER = 500
const OPEN = { status: 'invited' } as const

export const memberRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/members',
    operation: 'members.list',
    scope: 'members.read',
    directory: 'account',
    tag,
    summary: 'List members of the team',
    description:
      'Lists the members of the account and of its organizations. With subOrgId, lists the roster of that organization.',
    query: Type.Object(listQuery),
    reply: MemberListReply,
    async handle(work, { query }) {
      const { db, account } = work
      const page = readPage(work.platform, '/v1/members', query)
      const list = finishPage(work, page, await findMemberPage(db, account, {}, page), byAge)
      return { members: await toMembers(work, list.rows), ...list.reply }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/members/invites',
    operation: 'members.listInvites',
    scope: 'members.read',
    directory: 'account',
    tag,
    summary: 'List open invitations to the team',
    query: Type.Object(listQuery),
    reply: Type.Object({
      invites: Type.Array(TeamInvite, { description: 'Invitations that are open or have expired.' }),
      ...listReply,
    }),
    async handle(work, { query }) {
      const { db, account } = work
      const page = readPage(work.platform, '/v1/members/invites', query)
      const list = finishPage(work, page, await findMemberPage(db, account, OPEN, page), byAge)
      return { invites: list.rows.map(toTeamInvite), ...list.reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/members/invites',
    operation: 'members.invite',
    scope: 'members.write',
    directory: 'account',
    writes: 'home',
    ownerOf: async (work) => work.account.organizationId,
    tag,
    summary: 'Invite a person to the team',
    description:
      'Invites a person to the account, or with subOrgId only to that organization. Mails a link, which voids the previous link. If the caller is org-wide (not limited to one organization), an existing team member is added immediately, without an invitation. A caller limited to one organization gets the same response for every address, and each person must accept the invitation.',
    body: Type.Object({ email: Email, role: Role, displayName: UserCreate.properties.displayName }),
    reply: Type.Object({
      member: Member,
      invite: nullable(TeamInvite, 'The invitation. Null: an existing team member was added immediately.'),
      delivery_hint: nullable(
        Type.String({ examples: ['g•••@example.com'] }),
        'The masked email address that the email is sent to.',
      ),
    }),
    errors: [memberErrors.exists, httpErrors.privilegeEscalation, ...doorRoutes.barred, loginErrors.methodDisabled],
    event: [memberEvents.invited, memberEvents.added],
    async handle(work, { body }) {
      return inviteMember(work, body)
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/members/invites/{inviteId}',
    operation: 'members.revokeInvite',
    scope: 'members.write',
    directory: 'account',
    writes: 'home',
    ownerOf: async (work, { params }) => (await getInviteRow(work, params.inviteId)).organization_id,
    tag,
    summary: 'Withdraw an invitation to the team',
    params: TeamInviteParams,
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [inviteErrors.notFound, inviteErrors.accepted, httpErrors.privilegeEscalation],
    event: memberEvents.invitationWithdrawn,
    async handle(work, { params }) {
      await withdrawInvite(work, params.inviteId)
      return { success: true }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/members/{membershipId}',
    operation: 'members.update',
    scope: 'members.write',
    directory: 'account',
    writes: 'home',
    ownerOf: async (work, { params }) => (await getMemberRow(work, params.membershipId)).organization_id,
    tag,
    summary: 'Change the role of a member',
    description:
      'Changes the role in the account, or with subOrgId on the roster of that organization. A lower role in the account ends all sessions of the member. A lower role on a roster ends them only if the member has no other membership.',
    params: MemberParams,
    body: Type.Object({ newRole: described(Role, 'The new role in the account, or with `subOrgId` on the roster.') }),
    reply: MemberReply,
    errors: [memberErrors.notFound, memberErrors.lastOwner, httpErrors.privilegeEscalation],
    maybeEvents: [memberEvents.roleUpdated],
    async handle(work, { params, body }) {
      return { member: await changeRole(work, params.membershipId, body.newRole) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/members/{membershipId}',
    operation: 'members.delete',
    scope: 'members.write',
    directory: 'account',
    writes: 'home',
    ownerOf: async (work, { params }) => (await getMemberRow(work, params.membershipId)).organization_id,
    tag,
    summary: 'Remove a member',
    description:
      'Removes the member from the team and every roster, or with subOrgId from the roster of that organization. Ends all sessions of the member. Removal from a roster ends them only if the member has no other membership.',
    params: MemberParams,
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [memberErrors.notFound, memberErrors.lastOwner, httpErrors.privilegeEscalation],
    event: [memberEvents.removed, memberEvents.invitationWithdrawn],
    async handle(work, { params }) {
      await removeMember(work, params.membershipId)
      return { success: true }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organizations/{subOrgId}/members',
    operation: 'organizations.listMembers',
    scope: 'sub_orgs.read',
    directory: 'account',
    tag,
    summary: 'List the roster of an organization',
    params: RosterParams,
    reply: RosterReply,
    errors: [httpErrors.organizationNotFound],
    async handle(work, { params }) {
      return { members: await listRoster(work, await rosterScope(work, params.subOrgId)) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/organizations/{subOrgId}/members',
    operation: 'organizations.replaceMembers',
    scope: 'sub_orgs.write',
    directory: 'account',
    writes: 'home',
    ownerOf: async (work, { params }) => (await rosterScope(work, params.subOrgId)).organizationId,
    tag,
    summary: 'Replace the roster of an organization',
    description:
      'Replaces the whole roster or, if the request is refused, nothing. Members in the request join or stay on the roster, and all other members leave it. At least one member must be an owner. If an entry has no role, the member’s role does not change.',
    params: RosterParams,
    body: Type.Object({
      members: Type.Array(RosterEntry, { description: 'The complete new roster.', maxItems: MAX_ROSTER }),
    }),
    reply: RosterReply,
    errors: [httpErrors.organizationNotFound, memberErrors.lastOwner, httpErrors.privilegeEscalation],
    maybeEvents: [
      ...[memberEvents.added, memberEvents.roleUpdated, memberEvents.removed],
      ...[memberEvents.invited, memberEvents.invitationWithdrawn],
    ],
    async handle(work, { params, body }) {
      const scope = await rosterScope(work, params.subOrgId)
      return { members: await replaceRoster(work, scope, body.members) }
    },
  }),
]
