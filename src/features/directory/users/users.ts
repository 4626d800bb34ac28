import { isId, newId } from '../../../platform/ids.ts'
import type { EmailAddress } from '../../../platform/mail/address.ts'
import { directoryInReach } from '../../../platform/tenancy/services.ts'
import type { ReachWork, TxWork, Work } from '../../../platform/work.ts'
import { userErrors } from './errors.ts'
import { userEvents } from './events.ts'
import { orNotFound } from './hold.ts'
import { identityOf, insertUsers } from './insert.ts'
import { type SignupProfile, toColumns } from './schema.ts'
import {
  findDeletedInReach,
  findUserRowByEmail,
  findUserRowById,
  findUserRowInReach,
  type ListedUserRow,
  type NewUserRow,
  setAuthAccount,
  type UserRow,
} from './store.ts'
import { userEvent } from './user-event.ts'

export { userErrors } from './errors.ts'
export { userEvents } from './events.ts'
export { findUserForUpdate, getUserForUpdate, lockFreeUserRows, lockUserRowsById } from './hold.ts'
export { removeAtOnce } from './purge.ts'
export { SignupProfile, toUser, User, UserCreate, UserParams } from './schema.ts'
export type { HeldUser, UserRow } from './store.ts'

/** The user of this address (`EmailAddress.norm`), or null. An expired sign-up does not count. */
export async function findUserByEmail(work: Work, emailNorm: string): Promise<UserRow | null> {
  return (await findUserRowByEmail(work.db, work.directory, emailNorm)) ?? null
}

/** By the id of the directory user or of the auth account; null if there is none. */
export async function findUserById(work: Work, id: string): Promise<UserRow | null> {
  const known = id.toLowerCase()
  return isId(known) ? ((await findUserRowById(work.db, work.directory, known)) ?? null) : null
}

/** The same. Throws `user_not_found`. */
export async function getUser(work: Work, id: string): Promise<UserRow> {
  return orNotFound(await findUserById(work, id))
}

/**
 * A user by either id, within the caller's reach, and the work in the directory of the user. Throws `user_not_found`, and
 * `service_disabled` where the service of the read is off there. `deleted`: a deleted user who can be restored instead, by the id
 * of the directory user.
 */
export async function reachUser(
  work: ReachWork,
  id: string,
  { deleted = false } = {},
): Promise<{ user: ListedUserRow; there: Work }> {
  const known = id.toLowerCase()
  const find = deleted ? findDeletedInReach : findUserRowInReach
  const user = orNotFound(isId(known) ? await find(work.db, work.reach, known) : null)
  const directory = await directoryInReach(work.platform, work.reach, user.directory_id)
  // Deleted meanwhile.
  if (!directory) throw userErrors.notFound()
  return { user, there: { ...work, directory } }
}

/**
 * Creates the user who signs up, with what is known of the mailbox. Returns null when the address is taken, even by a
 * pending sign-up unless that is replaced; else the event too, which a caller with more to write records with that.
 */
export async function createSignup(
  work: TxWork,
  input: EmailAddress & SignupProfile,
  mailbox: Partial<NewUserRow>,
  replaces: 'pending' | 'expired' = 'expired',
) {
  const { firstName = null, lastName = null, phone = null, locale = null } = input
  const said = { ...toColumns({ firstName, lastName, phone, locale }), source: 'signup', ...mailbox }
  const [user] = await insertUsers(work, [{ ...said, ...identityOf(input) }], replaces)
  return user ? { user, created: userEvent(work.directory, userEvents.created, user) } : null
}

/** The id of the user's auth account, created if there was none. Throws `user_not_found`. */
export async function ensureAuthAccount(work: TxWork, user: UserRow): Promise<string> {
  return orNotFound(user.auth_account_id ?? (await setAuthAccount(work.db, work.directory, user.id, newId())))
}
