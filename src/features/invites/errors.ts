import { defineErrors } from '../../platform/errors.ts'

export const inviteErrors = defineErrors({
  notFound: [
    404,
    'invite_not_found',
    'Invitation not found',
    'There is no such invitation in this organization and environment, or it ended more than a month ago.',
  ],
  accepted: [
    409,
    'invite_accepted',
    'The invitation was accepted',
    'It is too late to withdraw it: PATCH /v1/users/{userId} with active false, or delete the user.',
  ],
  credentialExists: [
    409,
    'credential_exists',
    'The user has a password already',
    'An invitation sets a first password, never another: let the person sign in, or reset the password.',
  ],
})
