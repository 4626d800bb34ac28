import { inTx, type TxWork } from '../../../platform/work.ts'
import { removePhoneOf, removeTotpOf } from '../../sign-in/factors/factors.ts'
import { deletePasskeyOf, describeFactorsLeft } from '../../sign-in/passkeys/passkeys.ts'
import { meErrors } from './errors.ts'
import { holdOwn } from './freshness.ts'
import type { OwnWork } from './own-work.ts'

/** With a change of factors every session ends but the one in which it is asked for. */
export function endsOthers({ caller }: OwnWork) {
  return { revokeSessions: true, sparedId: caller.sessionId }
}

/** Removes the caller's app. Throws `enrollment_not_found`, `last_factor` where the policy requires one. */
export function removeOwnTotp(work: OwnWork): Promise<void> {
  return unlessRequired(work, (tx) => removeTotpOf(tx, work.caller.directoryUserId, endsOthers(work)))
}

/** Removes the caller's phone. Throws the same. */
export function removeOwnPhone(work: OwnWork): Promise<void> {
  return unlessRequired(work, (tx) => removePhoneOf(tx, work.caller.directoryUserId, endsOthers(work)))
}

/** Deletes a passkey of the caller. Throws `passkey_not_found`, `last_factor`. */
export function deleteOwnPasskey(work: OwnWork, which: string): Promise<void> {
  return unlessRequired(work, async (tx) => {
    const removal = await deletePasskeyOf(tx, which, work.caller.directoryUserId)
    return (await describeFactorsLeft(tx, removal)).mfa_required ?? false
  })
}

/** Undoes a removal after which the policy requires a factor that the user has no more. */
async function unlessRequired(work: OwnWork, remove: (work: TxWork) => Promise<boolean>): Promise<void> {
  await inTx(work, async (work) => {
    await holdOwn(work)
    if (await remove(work)) throw meErrors.lastFactor()
  })
}
