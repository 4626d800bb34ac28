import { invalidField } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import type { TxWork } from '../../platform/work.ts'
import { userErrors } from './errors.ts'
import { MAX_METADATA_BYTES, type Profile, toColumns } from './schema.ts'
import { type HeldUser, lockUserRow, lockUserRows } from './store.ts'

/**
 * Locks the user's row until the transaction ends; null if there is none. By the id of the directory user or of the auth
 * account. Lock order: before any other row of the user, to avoid deadlocks.
 */
export async function findUserForUpdate(work: TxWork, id: string): Promise<HeldUser | null> {
  const known = id.toLowerCase()
  return isId(known) ? ((await lockUserRow(work.db, work.directory, known)) ?? null) : null
}

/** The same. Throws `user_not_found`. */
export async function getUserForUpdate(work: TxWork, id: string): Promise<HeldUser> {
  return present(await findUserForUpdate(work, id))
}

/** Those of these directory users that are there, locked in the same way, in one order. */
export async function holdUsers({ db, directory }: TxWork, ids: string[]): Promise<HeldUser[]> {
  return ids.length === 0 ? [] : lockUserRows(db, directory, ids)
}

export function present<T>(found: T | null | undefined): T {
  if (!found) throw userErrors.notFound()
  return found
}

export function assertMetadataFits(fields: Profile): void {
  if (fitsMetadata(fields)) return
  throw invalidField('metadata', 'too_large', `metadata must not be larger than ${MAX_METADATA_BYTES} bytes`)
}

export function fitsMetadata(fields: Profile): boolean {
  return Buffer.byteLength(toColumns(fields).metadata ?? '') <= MAX_METADATA_BYTES
}
