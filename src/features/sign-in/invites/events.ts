import { defineEvents } from '../../../platform/events/events.ts'
import { Invite } from './schema.ts'

export const inviteEvents = defineEvents({
  created: [
    'invite.created',
    'A user was invited for the first time, or again after the previous invitation was accepted, was withdrawn or expired.',
    Invite,
  ],
  resent: ['invite.resent', 'An invited user was sent a new link. It replaces the previous one.', Invite],
  accepted: [
    'invite.accepted',
    'An invitation was accepted by its link, or because the person joined in another way (`data.accepted_by`).',
    Invite,
    { status: 'accepted', accepted_at: '2026-11-22T10:20:00.000Z', accepted_by: 'invite' },
  ],
  revoked: [
    'invite.revoked',
    'An invitation was withdrawn or ended. It ends when its user gets another address, is deactivated, deleted or moved, or is taken over by provisioning.',
    Invite,
    { status: 'revoked', revoked_at: '2026-11-22T10:20:00.000Z' },
  ],
  expired: ['invite.expired', 'An invitation was not accepted in time.', Invite, { status: 'expired' }],
})
