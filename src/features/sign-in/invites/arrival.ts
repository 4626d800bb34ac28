import type { EventInput } from '../../../platform/events/events.ts'
import type { TxWork } from '../../../platform/work.ts'
import type { InvitationUse } from '../../directory/users/invited/invited.ts'
import type { UserRow } from '../../directory/users/users.ts'
import { hasLiveLink, markLinksUsed, voidLinks } from '../links/links.ts'
import { inviteEvents } from './events.ts'
import { invitePurpose } from './link-purpose.ts'
import { toInvite } from './schema.ts'
import { findInviteRows } from './store.ts'

/** Accepts the open invitations of a user who signed in or joined by another method. Returns the events. */
export async function acceptOpenInvitations(
  work: TxWork,
  user: UserRow,
  { by, linkId }: InvitationUse,
): Promise<EventInput[]> {
  const how = { exceptId: linkId, details: { acceptedBy: by } }
  const ids = await markLinksUsed(work, user, invitePurpose, how)
  if (ids.length === 0) return []
  return (await findInviteRows(work.db, work.directory, ids)).map((row) =>
    inviteEvents.accepted({ target: { type: 'invite', id: row.id }, data: toInvite(row) }),
  )
}

/** Whether a user has an open invitation. */
export function hasOpenInvitation(work: TxWork, userId: string): Promise<boolean> {
  return hasLiveLink(work, userId, invitePurpose)
}

/** Withdraws the open invitations of a user. Returns the events. */
export async function withdrawOpenInvitations(work: TxWork, user: UserRow): Promise<EventInput[]> {
  const ids = await voidLinks(work, user, invitePurpose)
  if (ids.length === 0) return []
  return (await findInviteRows(work.db, work.directory, ids)).map((row) =>
    inviteEvents.revoked({ target: { type: 'invite', id: row.id }, data: toInvite(row) }),
  )
}
