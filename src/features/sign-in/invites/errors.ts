import { defineErrors } from '../../../platform/errors.ts'

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
    'The invitation was already accepted',
    'An accepted invitation cannot be withdrawn. Deactivate the user (PATCH /v1/users/{userId} with active false), or delete the user.',
  ],
  credentialExists: [
    409,
    'credential_exists',
    'The user can already sign in',
    'The user has a password or a passkey, or passwords are off and the user has signed in before. Only new users can accept an invitation. Let the user sign in as usual.',
  ],
})
