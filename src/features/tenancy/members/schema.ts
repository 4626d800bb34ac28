import { type Static, Type } from 'typebox'
import { listReply } from '../../../platform/http/pagination.ts'
import { described, named, nullable } from '../../../platform/schema.ts'
import { TEAM_ROLES, type TeamRole } from './team-roles/team-roles.ts'

export type MemberStatus = 'active' | 'invited'

const Id = Type.String({ format: 'uuid' })
const UserId = Type.String({ format: 'uuid', examples: ['0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'] })
const MembershipId = Type.String({ format: 'uuid', examples: ['0198b6f2-9d13-7e6a-a1f4-7c20b58e4d91'] })
const Moment = Type.String({ format: 'date-time' })
const about = 'The role in the account or on the roster, which decides what the member may do.'
export const Role = Type.Unsafe<TeamRole>({
  type: 'string',
  enum: [...TEAM_ROLES],
  examples: ['admin'],
  description: about,
})

/** Who invited a member: an API key, or a member, identified by their user in the console directory. */
const Inviter = Type.Object({
  type: Type.Enum(['api_key', 'user'], { description: 'Kind of caller that sent the invitation.' }),
  id: described(UserId, 'The API key, or the `directoryUserId` of the member.'),
})

export const Member = named(
  'Member',
  Type.Object(
    {
      membershipId: described(MembershipId, 'Identifies the membership in routes. The id never changes.'),
      id: described(MembershipId, 'The same as `membershipId`.'),
      userId: nullable(Id, 'The auth account of the member’s user: `sub` of tokens. Null: none yet.'),
      directoryUserId: nullable(Id, 'The user (`id`) that the member signs in as. Null: none yet.'),
      subOrgId: nullable(
        Type.String({ format: 'uuid', examples: [null] }),
        'The organization whose roster the membership is on. Null: the membership is in the account.',
      ),
      email: Type.String({
        description: 'The address that the member signs in with.',
        examples: ['grace@example.com'],
      }),
      displayName: nullable(Type.String({ examples: ['Grace Hopper'] }), 'Full name. Null: not known yet.'),
      role: Role,
      status: Type.Unsafe<MemberStatus>({
        description: '`active`, or `invited` until the person accepts.',
        type: 'string',
        enum: ['active', 'invited'],
        examples: ['active'],
      }),
      invitedBy: nullable(
        Inviter,
        'The API key or team member (`directoryUserId`) that sent the latest invitation. Null if the person joined without an invitation.',
      ),
      joinedAt: nullable(Moment, 'When the person accepted. Null: not yet.'),
      createdAt: Moment,
      updatedAt: Moment,
    },
    { description: 'A person of your own company, in the account or on the roster of an organization.' },
  ),
)
export type Member = Static<typeof Member>

/** The factors that a reset has removed. */
export const FactorsReset = named(
  'MemberFactorsReset',
  Type.Object(
    {
      directoryUserId: Id,
      email: Member.properties.email,
      methods: Type.Array(Type.Enum(['totp', 'sms', 'passkey']), {
        description: 'Factors that were removed.',
        examples: [['totp']],
      }),
    },
    { description: 'The member whose second factors and passkeys were removed.' },
  ),
)
export type FactorsReset = Static<typeof FactorsReset>

export const MemberParams = Type.Object({
  membershipId: Type.String({ description: 'Team member: `membershipId` in `GET /v1/members`.' }),
})
export const MemberReply = named('MemberReply', Type.Object({ member: Member }))
export const MemberListReply = named(
  'MemberListReply',
  Type.Object({
    members: Type.Array(Member, { description: 'Memberships of the account and of rosters.' }),
    ...listReply,
  }),
)
export const RosterReply = named(
  'RosterReply',
  Type.Object({ members: Type.Array(Member, { description: 'Everyone on the roster.' }) }),
)
export const RosterParams = Type.Object({
  subOrgId: Type.String({ description: 'Organization: `id` in `GET /v1/organizations`.' }),
})

export const RosterEntry = Type.Object(
  {
    membershipId: Type.String({ description: 'Member: `membershipId` of the account or of this roster.' }),
    role: Type.Optional(
      described(
        Role,
        'The role on the roster. Default: the current role on the roster or, for a member who is new to the roster, the role in the account.',
      ),
    ),
  },
  { additionalProperties: false },
)
export type RosterEntry = Static<typeof RosterEntry>

/** A row of `members`, as a list of the account's memberships or of a roster shows it. */
export interface MemberRow {
  /** The id of the row. */
  id: string
  /** The id that the API shows. On a roster, a member of the account has the id of their account membership. */
  membership_id: string
  account_id: string
  organization_id: string | null
  account_member_id: string | null
  email: string
  email_norm: string
  display_name: string | null
  role: TeamRole
  status: MemberStatus
  /** The person's role in the account; null if they have no active membership there. */
  account_role: TeamRole | null
  /** When the role was given or the member joined, whichever is later. For an invited member, the current time. */
  role_held_since: Date
  /** Whether it is a membership of the account or of a production organization. */
  in_production: boolean
  joined_at: Date | null
  /** Null unless there is an open invitation. */
  invite_expires_at: Date | null
  invite_expired: boolean
  /** The link that accepts the invitation; null for invitations of earlier releases. */
  invite_link_id: string | null
  /** The actor of the latest invitation. Null without an invitation, and for invitations of earlier releases. */
  invited_by_type: string | null
  invited_by_id: string | null
  created_at: Date
  updated_at: Date
}

/** The user in the console directory with the member's address. */
export interface MemberUser {
  id: string
  auth_account_id: string | null
}

/**
 * The roles that a caller must cover to act on a membership: the role in this membership, and the person's role in
 * the account. For an invitation only its own role counts, since a refusal must not show whether the person is on the
 * team.
 */
export function rolesHeld({ role, account_role, status }: MemberRow): TeamRole[] {
  return status === 'active' && account_role !== null ? [role, account_role] : [role]
}

export function toMember(row: MemberRow, user: MemberUser | undefined): Member {
  return {
    membershipId: row.membership_id,
    id: row.membership_id,
    userId: user?.auth_account_id ?? null,
    directoryUserId: user?.id ?? null,
    subOrgId: row.organization_id,
    email: row.email,
    displayName: row.display_name,
    role: row.role,
    status: row.status,
    invitedBy: inviterOf(row),
    joinedAt: row.joined_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

function inviterOf({ invited_by_type: type, invited_by_id: id }: MemberRow): Member['invitedBy'] {
  return id !== null && (type === 'api_key' || type === 'user') ? { type, id } : null
}

type InviteStatus = 'pending' | 'expired'

export const TeamInvite = named(
  'TeamInvite',
  Type.Object(
    {
      id: described(MembershipId, 'The invitation. The membership will have the same id.'),
      email: Member.properties.email,
      displayName: described(Member.properties.displayName, 'Full name in the invitation. Null: none.'),
      role: Role,
      subOrgId: Member.properties.subOrgId,
      invitedBy: Member.properties.invitedBy,
      status: Type.Unsafe<InviteStatus>({
        description: '`pending`, or `expired`: invite the person again.',
        type: 'string',
        enum: ['pending', 'expired'],
        examples: ['pending'],
      }),
      createdAt: Moment,
      expiresAt: Type.String({
        description: 'When the link of the invitation expires.',
        format: 'date-time',
        examples: ['2026-11-29T09:30:00.000Z'],
      }),
    },
    { description: 'An invitation to the team that is not accepted yet.' },
  ),
)
export type TeamInvite = Static<typeof TeamInvite>

export const TeamInviteParams = Type.Object({
  inviteId: Type.String({ description: 'Invitation: `id` in `GET /v1/members/invites`.' }),
})

export function toTeamInvite(row: MemberRow): TeamInvite {
  return {
    id: row.membership_id,
    email: row.email,
    displayName: row.display_name,
    role: row.role,
    subOrgId: row.organization_id,
    invitedBy: inviterOf(row),
    status: row.invite_expired ? 'expired' : 'pending',
    createdAt: row.created_at.toISOString(),
    expiresAt: (row.invite_expires_at ?? row.created_at).toISOString(),
  }
}
