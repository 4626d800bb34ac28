import { type Static, Type } from 'typebox'
import { named, nullable } from '../../../platform/schema.ts'
import type { UserLock } from '../../../platform/tenancy/user-lock.ts'
import type { UserRow } from './store.ts'

const Moment = Type.String({ format: 'date-time' })

export const UserLockShown = named(
  'UserLock',
  Type.Object(
    {
      cause: Type.Unsafe<NonNullable<UserLock>>({
        type: 'string',
        enum: ['administrator', 'failed_attempts'],
        description:
          'Who locked the user. `administrator`: every sign-in method is refused. `failed_attempts`: the methods in the setting lockout_scope are refused.',
      }),
      reason: nullable(
        Type.String({ examples: ['Laptop stolen, ticket 4711'] }),
        'The reason that the administrator gave. The user never sees it. Null for `failed_attempts`.',
      ),
      lockedAt: nullable(Moment, 'When the administrator locked the user. Null for `failed_attempts`.'),
      until: nullable(Moment, 'When the lock ends by itself. Null: the lock ends only when the user is unlocked.'),
    },
    { description: 'The lock of a user: its reason and its end.' },
  ),
)

/** A user's lock as managers see it; null if there is none. */
export function showLock(row: UserRow): Static<typeof UserLockShown> | null {
  if (row.locked === null) return null
  const isByAttempts = row.locked === 'failed_attempts'
  return {
    cause: row.locked,
    reason: isByAttempts ? null : row.access_lock_reason,
    lockedAt: isByAttempts ? null : (row.access_locked_at?.toISOString() ?? null),
    until: (isByAttempts ? row.locked_until : row.access_locked_until)?.toISOString() ?? null,
  }
}
