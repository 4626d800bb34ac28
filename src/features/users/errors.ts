import { defineErrors } from '../../platform/errors.ts'
import { sessionErrors } from '../sessions/sessions.ts'

export const userErrors = {
  notFound: sessionErrors.userNotFound,
  ...defineErrors({
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
    tooManyUsers: [
      400,
      'too_many_users',
      'Too many users in one request',
      'Split the list into requests of at most 500 users.',
    ],
  }),
}
