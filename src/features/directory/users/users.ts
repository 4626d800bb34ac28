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

/** The user with this address (`EmailAddress.norm`), or null. An expired sign-up does not count as a user. */
export async function findUserByEmail(work: Work, emailNorm: string): Promise<UserRow | null> {
  return (await findUserRowByEmail(work.db, work.directory, emailNorm)) ?? null
}

/** Finds a user by the id of the directory user or of the auth account; null if there is none. */
export async function findUserById(work: Work, id: string): Promise<UserRow | null> {
  const known = id.toLowerCase()
  return isId(known) ? ((await findUserRowById(work.db, work.directory, known)) ?? null) : null
}

/** Like `findUserById`, but throws `user_not_found`. */
export async function getUser(work: Work, id: string): Promise<UserRow> {
  return orNotFound(await findUserById(work, id))
}

/**
 * A user that the caller reaches, by either id, and the work in the user's directory. If `deleted` is true, finds a
 * deleted user who can be restored instead, by the directory user's id only. Throws `user_not_found`, and
 * `service_disabled` if the service that the route belongs to is off in that directory.
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
  // The directory was deleted meanwhile.
  if (!directory) throw userErrors.notFound()
  return { user, there: { ...work, directory } }
}

/**
 * Creates the user of a sign-up, with what is known about the mailbox. Returns null if the address is taken; a
 * pending sign-up does not count if `replaces` says so. Otherwise returns the user and the event, which the caller
 * records together with its own.
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

/** The id of the user's auth account, which is created if there is none. Throws `user_not_found`. */
export async function ensureAuthAccount(work: TxWork, user: UserRow): Promise<string> {
  return orNotFound(user.auth_account_id ?? (await setAuthAccount(work.db, work.directory, user.id, newId())))
}
