import { defineErrors } from '../../../platform/errors.ts'

export const userErrors = defineErrors({
  notFound: [
    404,
    'user_not_found',
    'User not found',
    'There is no such user in this organization and environment, or the user was deleted.',
  ],
  verificationRequired: [
    403,
    'verification_required',
    'The mailbox must be proved first',
    'The user has not proved the mailbox yet: let them sign in with a mailed code or link.',
  ],
  emailExists: [
    409,
    'email_exists',
    'The email address is taken',
    'Another user of the organization has this address.',
  ],
  externalIdTaken: [
    409,
    'external_id_taken',
    'The external id is taken',
    'Another user of the organization has this externalId.',
  ],
  scimManaged: [
    409,
    'scim_managed',
    'Managed by provisioning',
    'Change the user in the directory of the organization. force changes or deletes the user here all the same.',
  ],
  tooManyUsers: [
    400,
    'too_many_users',
    'Too many users in one request',
    'Split the list into requests of at most 500 users.',
  ],
})
