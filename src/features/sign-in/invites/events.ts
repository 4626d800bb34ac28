import { defineEvents } from '../../../platform/events/events.ts'
import { Invite } from './schema.ts'

export const inviteEvents = defineEvents({
  created: [
    'invite.created',
    'A user was invited for the first time, or again after the previous invitation was accepted or withdrawn or had expired.',
    Invite,
  ],
  resent: ['invite.resent', 'An invited user was sent a new link, which replaces the previous one.', Invite],
  accepted: [
    'invite.accepted',
    'An invitation was accepted by its link, or because the person joined in another way (`data.accepted_by`).',
    Invite,
    { status: 'accepted', accepted_at: '2026-11-22T10:20:00.000Z', accepted_by: 'invite' },
  ],
  revoked: [
    'invite.revoked',
    'An invitation was withdrawn, or it ended because its user got another address, was deactivated, deleted or moved, or is now managed by provisioning.',
    Invite,
    { status: 'revoked', revoked_at: '2026-11-22T10:20:00.000Z' },
  ],
  expired: ['invite.expired', 'An invitation was not accepted in time.', Invite, { status: 'expired' }],
})
