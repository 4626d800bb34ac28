import { defineErrors } from '../../platform/errors.ts'

export const sessionErrors = defineErrors({
  notFound: [404, 'session_not_found', 'Session not found'],
  userNotFound: [404, 'user_not_found', 'User not found'],
})
