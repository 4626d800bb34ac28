import { type Static, Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { FactorsReset, Member } from './schema.ts'

const PrintedLink = Type.Object({
  membershipId: Member.properties.membershipId,
  email: Member.properties.email,
  purpose: Type.Enum(['password_reset', 'invite'], { description: 'What the printed link does.' }),
})
export type PrintedLink = Static<typeof PrintedLink>

export const memberEvents = defineEvents({
  invited: [
    'member.invited',
    'A person was invited to the team or to the roster of an organization, or the person’s invitation was renewed.',
    Member,
    { status: 'invited', joinedAt: null, userId: null, directoryUserId: null },
  ],
  invitationWithdrawn: [
    'member.invitation_withdrawn',
    'An invitation to the team or to the roster of an organization was withdrawn.',
    Member,
    { status: 'invited', joinedAt: null, userId: null, directoryUserId: null },
  ],
  added: ['member.added', 'A person joined the team or the roster of an organization.', Member],
  roleUpdated: [
    'member.role_updated',
    'The role of a member was changed, in the account or on a roster.',
    Member,
    { role: 'developer' },
  ],
  factorsReset: [
    'member.factors_reset',
    'The second factors and passkeys of a member were removed on the command line.',
    FactorsReset,
  ],
  removed: ['member.removed', 'A member was removed from the team, or from the roster of an organization.', Member],
  linkPrinted: [
    'member.link_printed',
    'The command line on the server printed a link that sets the password of a member, or accepts an invitation.',
    PrintedLink,
  ],
})
