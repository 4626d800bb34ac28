import { type Static, Type } from 'typebox'
import { defineEvents } from '../../platform/events.ts'
import { FactorsReset, Member } from './schema.ts'

const PrintedLink = Type.Object({
  membershipId: Member.properties.membershipId,
  email: Member.properties.email,
  purpose: Type.Enum(['password_reset', 'invite']),
})
export type PrintedLink = Static<typeof PrintedLink>

export const memberEvents = defineEvents({
  added: ['member.added', 'A person joined the team or the roster of an organization.', Member],
  roleUpdated: [
    'member.role_updated',
    'The role of a member was changed, in the account or on a roster.',
    Member,
    { role: 'developer' },
  ],
  factorsReset: [
    'member.factors_reset',
    'The second factors and passkeys of a member were removed by the command line.',
    FactorsReset,
  ],
  removed: ['member.removed', 'A member was removed from the team, or from the roster of an organization.', Member],
  linkPrinted: [
    'member.link_printed',
    'The command line on the server printed a link that sets the password of a member, or accepts an invitation.',
    PrintedLink,
  ],
})
