import { Type } from 'typebox'
import { defineErrors } from '../../platform/errors.ts'

export const lockoutErrors = defineErrors({
  accountLocked: [
    429,
    'account_locked',
    'Too many wrong passwords',
    'Sign-in is refused by every method for retry_after seconds, whether or not a user has the address. The link in ' +
      'the email about the lock, or POST /v1/users/{userId}/unlock, ends it at once.',
    { retry_after: Type.Integer({ description: 'Seconds to wait.' }) },
  ],
})
