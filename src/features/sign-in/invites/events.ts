import { defineEvents } from '../../../platform/events/events.ts'
import { Invite } from './schema.ts'

export const inviteEvents = defineEvents({
  created: [
    'invite.created',
    'A user was invited: for the first time, or after the previous invitation was accepted or withdrawn, or has expired.',
    Invite,
  ],
  resent: ['invite.resent', 'An invited user was sent a new link, which voids the previous one.', Invite],
  accepted: [
    'invite.accepted',
    'An invitation was accepted: by its link, or since the person came in by another way (`data.accepted_by`).',
    Invite,
    { status: 'accepted', accepted_at: '2026-11-22T10:20:00.000Z', accepted_by: 'invite' },
  ],
  revoked: [
    'invite.revoked',
    'An invitation was withdrawn, or ended by a change of its user: another address, deactivation, deletion, a move, or provisioning has taken the user over.',
    Invite,
    { status: 'revoked', revoked_at: '2026-11-22T10:20:00.000Z' },
  ],
  expired: ['invite.expired', 'An invitation was not accepted in time.', Invite, { status: 'expired' }],
})
