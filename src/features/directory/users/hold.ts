import { isUniqueViolation } from '../../../platform/db/pool.ts'
import { record } from '../../../platform/events/events.ts'
import { isId } from '../../../platform/ids.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { TxWork } from '../../../platform/work.ts'
import { userErrors } from './errors.ts'
import { userEvents } from './events.ts'
import { dropPending, findLiveIds, type HeldUser, lockUserRow, lockUserRows } from './store.ts'
import { userEvent } from './user-event.ts'

/**
 * Locks the user's row until the transaction ends. `id` is the id of the directory user or of the auth account. Null
 * if there is no such user. Lock order: before any other row of the user, to avoid deadlocks.
 */
export async function findUserForUpdate(work: TxWork, id: string): Promise<HeldUser | null> {
  const known = id.toLowerCase()
  return isId(known) ? ((await lockUserRow(work.db, work.directory, known)) ?? null) : null
}

/** Like `findUserForUpdate`, but throws `user_not_found`. */
export async function getUserForUpdate(work: TxWork, id: string): Promise<HeldUser> {
  return orNotFound(await findUserForUpdate(work, id))
}

/** Locks the rows of these users, always in the same order. Ids without a user are ignored. */
export async function lockUserRowsById({ db, directory }: TxWork, ids: string[]): Promise<HeldUser[]> {
  return ids.length === 0 ? [] : lockUserRows(db, directory, ids)
}

/**
 * Locks users' rows for a job, without waiting. Also returns the ids of users that other transactions have locked,
 * for the next run.
 */
export async function lockFreeUserRows(
  { db, directory }: TxWork,
  ids: string[],
): Promise<{ held: HeldUser[]; busyIds: string[] }> {
  if (ids.length === 0) return { held: [], busyIds: [] }
  const held = await lockUserRows(db, directory, ids, { waits: false })
  const heldIds = new Set(held.map(({ id }) => id))
  const others = ids.filter((id) => !heldIds.has(id))
  return { held, busyIds: others.length === 0 ? [] : await findLiveIds(db, directory, others) }
}

export function orNotFound<T>(found: T | null | undefined): T {
  if (!found) throw userErrors.notFound()
  return found
}

/**
 * Deletes a pending sign-up with this address. A stranger's sign-up must not keep an administrator from using the
 * address.
 */
export async function freeAddress(work: TxWork, directory: Directory, norm: string): Promise<void> {
  const gone = await dropPending(work.db, directory, norm)
  if (gone) await record({ ...work, directory }, userEvent(directory, userEvents.deleted, gone))
}

/** Translates violations of unique indexes, which also catch races, into `email_exists` and `external_id_taken`. */
export async function mapTakenErrors<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    if (isUniqueViolation(error, 'users_by_email')) throw userErrors.emailExists({ cause: error })
    throw isExternalIdTaken(error) ? userErrors.externalIdTaken({ cause: error }) : error
  }
}

export function isExternalIdTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'users_by_own_external_id')
}
