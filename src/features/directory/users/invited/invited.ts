import type { EmailAddress } from '../../../../platform/mail/address.ts'
import type { TxWork } from '../../../../platform/work.ts'
import { userEvents } from '../events.ts'
import { identityOf, insertUsers } from '../insert.ts'
import { toColumns, type UserCreate } from '../schema.ts'
import { findUserRowByEmail, setInvited, type UserRow } from '../store.ts'
import { recordUser } from '../user-event.ts'
import { ensureAuthAccount } from '../users.ts'

/**
 * The invited user: a new one, or the existing user of the address, unchanged. A pending sign-up becomes the new user,
 * without the data typed there. Either row is locked until the transaction ends.
 */
export async function provisionInvitedUser(
  work: TxWork,
  input: EmailAddress & Pick<UserCreate, 'displayName' | 'firstName' | 'lastName' | 'locale'>,
): Promise<UserRow> {
  const { displayName = null, firstName = null, lastName = null, locale = null } = input
  const row = { ...toColumns({ displayName, firstName, lastName, locale }), ...identityOf(input), source: 'invite' }
  const [made] = await insertUsers(work, [row], 'pending')
  if (made) {
    await recordUser(work, userEvents.created, made)
    return made
  }
  const user = await findUserRowByEmail(work.db, work.directory, input.norm)
  if (!user) throw new Error('A taken address has no user')
  return user
}

/** Records that the user was invited, and creates the auth account if there is none. */
export async function markInvited(work: TxWork, user: UserRow): Promise<void> {
  await ensureAuthAccount(work, user)
  await setInvited(work.db, work.directory, user.id, true)
}

/** Records that the invitation was accepted or withdrawn. */
export async function markNotInvited(work: TxWork, id: string): Promise<void> {
  await setInvited(work.db, work.directory, id, false)
}
