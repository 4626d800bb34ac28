import { type Static, Type } from 'typebox'
import { NewPassword } from '../password/password.ts'
import type { InviteRow } from './store.ts'

export const INVITE_STATUSES = ['pending', 'accepted', 'expired', 'revoked'] as const
export type InviteStatus = (typeof INVITE_STATUSES)[number]

const Moment = Type.String({ format: 'date-time' })
const MomentOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const Uuid = Type.String({ format: 'uuid' })

export const Invite = Type.Object({
  id: Uuid,
  email: Type.String({ description: 'Where it was mailed to.' }),
  status: Type.Unsafe<InviteStatus>({ type: 'string', enum: [...INVITE_STATUSES] }),
  directory_user_id: Uuid,
  sub_org_id: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
  created_at: Moment,
  expires_at: Moment,
  accepted_at: MomentOrNull,
  revoked_at: MomentOrNull,
})
export type Invite = Static<typeof Invite>

export const MadeInvite = Type.Object({
  ...Invite.properties,
  invite_url: Type.Optional(Type.String({ description: 'Only with deliver false.' })),
})

export const InviteFilters = {
  status: Type.Optional(Type.Enum([...INVITE_STATUSES])),
  email: Type.Optional(Type.String({ maxLength: 320, description: 'The whole address.' })),
}

export const InviteParams = Type.Object({ inviteId: Type.String() })

export const AcceptBody = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 200, description: '`token_hash` of the mailed link.' }),
  password: NewPassword,
})

/** The record as the API shows it. */
export function toInvite(row: InviteRow): Invite {
  return {
    id: row.id,
    email: row.email,
    status: row.status,
    directory_user_id: row.user_id,
    sub_org_id: row.organization_id,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    accepted_at: row.accepted_at?.toISOString() ?? null,
    revoked_at: row.status === 'revoked' ? (row.closed_at?.toISOString() ?? null) : null,
  }
}
