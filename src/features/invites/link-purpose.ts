import { defineMailedPurpose } from '../links/links.ts'

/** Of the link in an invitation. */
export const invitation = defineMailedPurpose('invite', 'invite')
