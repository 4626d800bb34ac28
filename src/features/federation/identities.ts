import { defineEndReasons } from '../../platform/end-reasons.ts'
import type { TxWork, Work } from '../../platform/work.ts'
import { deleteCodeRows, deleteIdentityRows, findIdentityRow, type Subject } from './store.ts'

/** Why the sessions end of somebody who signs out at the provider, by whatever protocol. */
export const { idp_logout: logoutReason } = defineEndReasons('idp_logout')

/** Forgets who people are at a connection or provider that is gone; the users stay. */
export async function unlinkSource(work: TxWork, of: Pick<Subject, 'method' | 'source'>): Promise<void> {
  await deleteIdentityRows(work.db, work.directory, of)
  await closeSource(work, of)
}

/** The user whom a person at a connection or provider is linked to, or null. */
export async function findLinkedUser(work: Work, who: Subject): Promise<string | null> {
  return (await findIdentityRow(work.db, work.directory, who))?.user_id ?? null
}

/** Ends what is under way by a connection or provider that was switched off: codes that nobody has exchanged yet. */
export async function closeSource(work: TxWork, of: Pick<Subject, 'method' | 'source'>): Promise<void> {
  await deleteCodeRows(work.db, work.directory, of)
}
