import { userEndReasons } from '../../directory/users/changes/changes.ts'
import { defineMailedPurpose } from '../links/purposes/purposes.ts'

/**
 * The purpose of the link in an invitation. It proves the mailbox, so a person who signed up for the address and has not
 * proved it cannot withdraw it, such as by a new password. A user who can sign in cannot accept it.
 */
export const invitePurpose = defineMailedPurpose('invite', 'invite', {
  belongsToMembership: true,
  endsBy: [userEndReasons.user_deactivated, userEndReasons.email_changed],
})
