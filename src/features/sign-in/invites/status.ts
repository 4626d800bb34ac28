export const INVITE_STATUSES = ['pending', 'accepted', 'expired', 'revoked'] as const
export type InviteStatus = (typeof INVITE_STATUSES)[number]
