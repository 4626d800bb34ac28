import { defineMailedPurpose } from '../links/links.ts'

/** Of the link in an invitePurpose. */
export const invitePurpose = defineMailedPurpose('invite', 'invite')
