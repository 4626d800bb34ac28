import { invalidField } from '../../../platform/errors.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { lockAccess } from '../../directory/users/lock/lock.ts'
import { getUserForUpdate, type UserRow } from '../../directory/users/users.ts'

/**
 * Locks a user at an administrator's request, also a user managed by SCIM. No sign-in method works until the lock
 * ends, and every session ends in the same transaction. `until` is an ISO 8601 time, or null for a lock without an
 * end.
 * Throws `user_not_found`, and `invalid_request` for an end that is not in the future.
 */
export async function lockUser(
  work: Work,
  userId: string,
  { reason, until }: { reason: string; until: string | null },
): Promise<{ user: UserRow; ended: number }> {
  const end = until === null ? null : new Date(until)
  // Process clock: refuses an end in the past. The database decides when the lock ends.
  if (end && end <= work.platform.clock.now()) throw invalidField('until', 'too_early', 'until must be in the future')
  return inTx(work, async (work) => lockAccess(work, await getUserForUpdate(work, userId), { reason, until: end }))
}
