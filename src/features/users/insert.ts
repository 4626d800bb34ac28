import { record } from '../../platform/events.ts'
import type { TxWork } from '../../platform/work.ts'
import { applyToBelongings } from './belongings.ts'
import { reasons } from './changes.ts'
import { insertUserRows, type NewUserRow, type UserRow } from './store.ts'

/**
 * Inserts users whose addresses are free. Whoever takes the place of a pending sign-up (`replaces`) begins with nothing of
 * what hung on it, such as roles. Returns the inserted users, in no particular order.
 */
export async function insertUsers(
  work: TxWork,
  rows: NewUserRow[],
  replaces: 'pending' | 'expired',
): Promise<UserRow[]> {
  const users: UserRow[] = []
  for (const user of await insertUserRows(work.db, work.directory, rows, replaces))
    users.push(user.version === 1 ? user : await removeWhatHangsOn(work, user))
  return users
}

async function removeWhatHangsOn(work: TxWork, row: UserRow): Promise<UserRow> {
  const change = { user: { ...row, held: true as const }, reason: reasons.user_deleted }
  const { user, announced } = await applyToBelongings(work, 'removal', change)
  await record(work, ...announced)
  return user
}
