import { type Static, Type } from 'typebox'
import { Name, named, nullable } from '../../../platform/schema.ts'
import { linkRoute } from '../links/links.ts'
import { NewPassword } from '../password/password.ts'
import { INVITE_STATUSES, type InviteStatus } from './status.ts'
import type { InviteRow } from './store.ts'

const Moment = Type.String({ format: 'date-time' })
const Uuid = Type.String({ format: 'uuid' })

export const Invite = named(
  'Invite',
  Type.Object(
    {
      id: Uuid,
      email: Type.String({
        description: 'The email address that the invitation was mailed to.',
        examples: ['ada@acme.example'],
      }),
      status: Type.Unsafe<InviteStatus>({
        description: '`pending`: not accepted yet. `accepted`, `expired` or `revoked`: the link no longer works.',
        type: 'string',
        enum: [...INVITE_STATUSES],
      }),
      user_id: nullable(
        Uuid,
        'The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation.',
      ),
      directory_user_id: Uuid,
      invited_by: Object.assign(nullable(Type.String(), 'The name of the inviting person, as shown in the email.'), {
        examples: ['Grace Hopper'],
      }),
      sub_org_id: nullable(Type.String({ format: 'uuid', examples: ['0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'] })),
      created_at: Moment,
      expires_at: Type.String({ format: 'date-time', examples: ['2026-11-29T09:30:00.000Z'] }),
      accepted_at: Object.assign(nullable(Moment), {
        description: 'When the person accepted. Null: not accepted.',
        examples: [null],
      }),
      accepted_by: Object.assign(
        nullable(
          Type.String(),
          'How the person joined: `invite` for the link in the invitation, or else the sign-in method or `email_verification`. Null: not accepted.',
        ),
        { examples: [null] },
      ),
      revoked_at: Object.assign(nullable(Moment), {
        description: 'When the invitation was withdrawn. Null: not withdrawn.',
        examples: [null],
      }),
    },
    { description: 'An invitation of a user into an organization.' },
  ),
)
export type Invite = Static<typeof Invite>

export const InviteUrl = Type.Optional(
  Type.String({
    description: 'The link itself. Only with `deliver: false`.',
    examples: [
      'https://app.example.com/auth?type=invite&email=ada%40acme.example&token_hash=02wqXJ8zLr5TcYb1NfKd7h9mQsVgPeAo3RuIxWyHt6CkZjEn4SGlBvMaFpDqOi0U',
    ],
  }),
)

export const RolesApplied = Object.assign(
  nullable(
    Type.Boolean(),
    'Whether the roles in the request were given. False: the user has signed in before and keeps the current roles. Null: the request has neither `role` nor `roleIds`.',
  ),
  { examples: [true] },
)

export const CanSignIn = Type.Boolean({
  description:
    'Whether the user will be able to sign in. False: the organization enforces single sign-on, the user is not exempt, and no connection serves the address. The email then asks the person to get access first. To let the user in, add the user to `sso_exempt_user_ids`.',
  examples: [true],
})

export const DeliveryHint = Type.String({
  description: 'The masked email address that the email is sent to.',
  examples: ['a•••@acme.example'],
})

export const MadeInvite = named(
  'MadeInvite',
  Type.Object(
    { ...Invite.properties, invite_url: InviteUrl },
    { description: 'The invitation, with its link if it was not mailed.' },
  ),
)

export const InviteFilters = {
  status: Type.Optional(Type.Enum([...INVITE_STATUSES], { description: 'Only invitations in this state.' })),
  email: Type.Optional(
    Type.String({ maxLength: 320, description: 'Only entries with exactly this address. Case does not matter.' }),
  ),
}

export const InviteParams = Type.Object({
  inviteId: Type.String({ description: 'Invitation: `id` in `GET /v1/users/invites`.' }),
})

export const AcceptBody = Type.Object({
  token: linkRoute.TokenHash,
  password: Type.Optional(NewPassword),
})

/** The name of the person who invites. */
export const InvitedBy = Type.Optional(
  nullable(
    Name,
    'The name of the inviting person, shown in the email. If absent, a renewed invitation keeps the previous name. Null: no name.',
  ),
)

/** The invitation as the API shows it. */
export function toInvite(row: Omit<InviteRow, 'directory_id'>): Invite {
  return {
    id: row.id,
    email: row.email,
    status: row.status,
    user_id: row.auth_account_id,
    directory_user_id: row.user_id,
    invited_by: row.invited_by,
    sub_org_id: row.organization_id,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    accepted_at: row.accepted_at?.toISOString() ?? null,
    accepted_by: row.accepted_by,
    revoked_at: row.status === 'revoked' ? (row.closed_at?.toISOString() ?? null) : null,
  }
}
