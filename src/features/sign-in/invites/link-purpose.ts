import { defineMailedPurpose } from '../links/links.ts'

/** The purpose of the link in an invitation. */
export const invitePurpose = defineMailedPurpose('invite', 'invite', { belongsToMembership: true })
