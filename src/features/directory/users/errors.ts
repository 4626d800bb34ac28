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
    'The mailbox is not verified',
    'The user has not yet proved that the mailbox is theirs. Ask the user to sign in with a mailed code or link, which proves it.',
  ],
  emailExists: [
    409,
    'email_exists',
    'The email address is taken',
    'Another user of the organization has this address. Find the user with GET /v1/users.',
  ],
  externalIdTaken: [
    409,
    'external_id_taken',
    'The external id is taken',
    'Another user of the organization has this externalId. External ids are unique within an organization.',
  ],
  scimManaged: [
    409,
    'scim_managed',
    'The user is managed by provisioning',
    'Change the user in the organization’s own directory, which provisions the user. To change or delete the user here anyway, set force.',
  ],
  tooManyUsers: [
    400,
    'too_many_users',
    'Too many users in one request',
    'Split the list into requests of at most 500 users.',
  ],
})
