import type { TxWork } from '../../platform/work.ts'
import { deleteIdentityRows, type Subject } from './store.ts'

/** Forgets who people are at a connection or provider that is gone; the users stay. */
export async function unlinkSource(work: TxWork, of: Pick<Subject, 'method' | 'source'>): Promise<void> {
  await deleteIdentityRows(work.db, work.directory, of)
}
