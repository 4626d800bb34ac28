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
    'The invitation was accepted',
    'It can no longer be withdrawn: PATCH /v1/users/{userId} with active false, or delete the user.',
  ],
  credentialExists: [
    409,
    'credential_exists',
    'The user already has a password or passkey',
    'An invitation is for users without a password or passkey. Let the user sign in, or reset the password.',
  ],
})
