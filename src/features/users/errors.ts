import { defineErrors } from '../../platform/errors.ts'

export const userErrors = defineErrors({
  notFound: [404, 'user_not_found', 'User not found'],
  emailExists: [409, 'email_exists', 'The e-mail address is taken'],
  tooManyUsers: [400, 'too_many_users', 'Too many users in one request'],
})
