import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/pool.ts'
import type { Directory } from '../../../platform/http/directory.ts'
import { isAccessLockedText, lockText } from '../../../platform/user-lock.ts'
import { NO_ACCESS_LOCK, type UserRow } from '../store.ts'

/** The columns of an administrator's lock. */
type AccessLockColumns = Pick<UserRow, 'access_locked_at' | 'access_locked_until' | 'access_lock_reason'>

const isRestorable = sql`deleted_at > clock_now() - interval '30 days'`

/**
 * Locks new users under the address of a locked user who was deleted in the last 30 days: a lock ends at its time or by an
 * unlock alone. Of several locks the one that ends last counts. Runs after the insert, which waits for a deletion under way.
 * Returns the users as they are then.
 */
export async function carryLocks(tx: Tx, directory: Directory, users: UserRow[]): Promise<UserRow[]> {
  const norms = users.map(({ email_norm }) => email_norm)
  const { rows } = await sql<UserRow>`
    with carried as materialized (
      select distinct on (email_norm) email_norm, access_locked_at, access_locked_until, access_lock_reason
      from users where directory_id = ${directory.id} and email_norm = any(${norms}::text[]) and ${isRestorable}
        and ${sql.raw(isAccessLockedText('users', 'clock_now()'))}
      order by email_norm, access_locked_until desc nulls first)
    update users set access_locked_at = carried.access_locked_at, access_locked_until = carried.access_locked_until,
      access_lock_reason = carried.access_lock_reason
    from carried where users.directory_id = ${directory.id} and users.id = any(${users.map(({ id }) => id)}::uuid[])
      and users.email_norm = carried.email_norm and (users.access_locked_at is null
        or users.access_locked_until < coalesce(carried.access_locked_until, 'infinity'))
    returning users.*, ${sql.raw(lockText('users', 'users.updated_at'))} as locked`.execute(tx)
  const locked = new Map(rows.map((row) => [row.id, row]))
  return users.map((user) => locked.get(user.id) ?? user)
}

/** The lock in force of users whose ids a query yields, deleted or not: the one that ends last. Null for none. */
export async function findLockOf(
  db: Db,
  directory: Directory,
  userIds: RawBuilder<unknown>,
): Promise<AccessLockColumns | null> {
  const { rows } = await sql<AccessLockColumns>`
    select access_locked_at, access_locked_until, access_lock_reason from users
    where directory_id = ${directory.id} and id in (${userIds}) and ${sql.raw(isAccessLockedText('users', 'clock_now()'))}
    order by access_locked_until desc nulls first limit 1`.execute(db)
  return rows[0] ?? null
}

/** Ends the locks of deleted users of an address: an unlock of the user who has it now holds for the next one too. */
export async function endLocksOfDeleted(tx: Tx, directory: Directory, emailNorm: string): Promise<void> {
  await tx
    .updateTable('users')
    .set(NO_ACCESS_LOCK)
    .where('directory_id', '=', directory.id)
    .where('email_norm', '=', emailNorm)
    .where('deleted_at', 'is not', null)
    .where('access_locked_at', 'is not', null)
    .execute()
}
