import { defineErrors } from '../../platform/errors.ts'

export const lockoutErrors = defineErrors({
  accountLocked: [
    429,
    'account_locked',
    'Too many wrong passwords',
    'Sign-in is refused, by every method, for retry_after seconds, also for addresses that nobody has. The link in ' +
      'the mail that was sent, or POST /v1/users/{userId}/unlock, ends the lock at once.',
  ],
})
