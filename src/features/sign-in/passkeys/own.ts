import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { inTx } from '../../../platform/work.ts'
import { lockOwnRow, unlessRequired } from '../../access/self-management/self-management.ts'
import { deletePasskeyOf, describeFactorsLeft, renamePasskeyOf } from './administration.ts'
import type { Passkey } from './schema.ts'

/** Renames a passkey of the caller. Null restores the authenticator's name. Throws `passkey_not_found`. */
export function renameOwnPasskey(work: OwnWork, which: string, name: string | null): Promise<Passkey> {
  return inTx(work, async (work) => {
    const user = await lockOwnRow(work)
    return renamePasskeyOf(work, which, name, user.id)
  })
}

/** Deletes a passkey of the caller. Throws `passkey_not_found`, `last_factor`. */
export function deleteOwnPasskey(work: OwnWork, which: string): Promise<void> {
  return unlessRequired(work, async (tx) => {
    const removal = await deletePasskeyOf(tx, which, work.caller.directoryUserId)
    return (await describeFactorsLeft(tx, removal)).mfa_required ?? false
  })
}
