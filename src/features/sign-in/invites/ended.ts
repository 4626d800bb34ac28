import type { Belonging } from '../../../platform/lifecycle/belongings.ts'
import type { WithdrawnLink } from '../links/links.ts'
import { inviteEvents } from './events.ts'
import { invitePurpose } from './link-purpose.ts'
import { toInvite } from './schema.ts'

/** Records an invitation that a change of its user withdrew, with the same event as any other withdrawal. */
export const endedInvites: NonNullable<Belonging<WithdrawnLink>['announce']> = {
  event: inviteEvents.revoked,
  of({ purpose, user_id, details, ...link }) {
    if (purpose !== invitePurpose.name || user_id === null) return null
    const data = toInvite({
      ...link,
      user_id,
      email: String(details['email']),
      invited_by: typeof details['invitedBy'] === 'string' ? details['invitedBy'] : null,
      status: 'revoked',
      created_at: new Date(link.created_at),
      expires_at: new Date(link.expires_at),
      accepted_at: null,
      accepted_by: null,
      closed_at: new Date(link.closed_at),
    })
    return inviteEvents.revoked({ target: { type: 'invite', id: link.id }, data })
  },
}
