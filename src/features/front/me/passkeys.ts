import { inTx } from '../../../platform/work.ts'
import { type Passkey, renamePasskeyOf } from '../../sign-in/passkeys/passkeys.ts'
import { holdOwn } from './freshness.ts'
import type { OwnWork } from './own-work.ts'

/** Gives a passkey of the caller another name; null: that of the authenticator. Throws `passkey_not_found`. */
export function renameOwnPasskey(work: OwnWork, which: string, name: string | null): Promise<Passkey> {
  return inTx(work, async (work) => {
    const user = await holdOwn(work)
    return renamePasskeyOf(work, which, name, user.id)
  })
}
