import { defineEvents } from '../../platform/events.ts'
import { Member } from './schema.ts'

export const memberEvents = defineEvents({
  added: ['member.added', 'Somebody joined the team, or came onto the roster of an organization.', Member],
  roleUpdated: [
    'member.role_updated',
    'The role of a member was changed, in the account or on a roster.',
    Member,
    { role: 'developer' },
  ],
  removed: ['member.removed', 'A member was removed from the team, or from the roster of an organization.', Member],
})
