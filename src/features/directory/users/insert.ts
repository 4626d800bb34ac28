import { newId } from '../../../platform/ids.ts'
import { belongingsOf } from '../../../platform/lifecycle/belongings.ts'
import type { EmailAddress } from '../../../platform/mail/address.ts'
import type { TxWork } from '../../../platform/work.ts'
import { deleteRowsOf } from './purge.ts'
import { insertUserRows, type NewUserRow, type UserRow } from './store.ts'

/**
 * Inserts users whose addresses are free. A user that replaces a pending sign-up (`replaces`) starts without the
 * roles of the sign-up. Roles are all that a sign-up can have, since anything that could sign in is refused before
 * the mailbox is proved. Links and codes already sent to the address stay valid, since only the owner of the mailbox
 * gets them. Returns the inserted users, in no particular order.
 */
export async function insertUsers(
  { db, directory, platform }: TxWork,
  rows: NewUserRow[],
  replaces: 'pending' | 'expired',
): Promise<UserRow[]> {
  const users = await insertUserRows(db, directory, rows, replaces)
  const replaced = users.filter(({ version }) => version > 1).map(({ id }) => id)
  const given = belongingsOf(platform).filter(({ beforeProof }) => beforeProof)
  if (replaced.length > 0) await deleteRowsOf(db, given, directory.id, replaced)
  return users
}

/** The columns that a new row starts with. */
export function identityOf(address: EmailAddress) {
  return { id: newId(), email: address.email, email_norm: address.norm }
}
