import { defineMailedPurpose } from '../links/purposes/purposes.ts'

/** The purpose of the link in an invitation. */
export const invitePurpose = defineMailedPurpose('invite', 'invite', {
  belongsToMembership: true,
  provesMailbox: true,
})
