import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { unlessRequired } from '../../access/self-management/self-management.ts'
import { removeTotpOf } from './enrollment.ts'
import { removePhoneOf } from './sms.ts'

/** A change of factors ends every session of the user except the one that makes the change. */
export function endsOthers({ caller }: OwnWork) {
  return { revokeSessions: true, sparedId: caller.sessionId }
}

/** Removes the caller's app. Throws `enrollment_not_found`, and `last_factor` if the policy requires a factor. */
export function removeOwnTotp(work: OwnWork): Promise<void> {
  return unlessRequired(work, (tx) => removeTotpOf(tx, work.caller.directoryUserId, endsOthers(work)))
}

/** Removes the caller's phone. Throws the same errors. */
export function removeOwnPhone(work: OwnWork): Promise<void> {
  return unlessRequired(work, (tx) => removePhoneOf(tx, work.caller.directoryUserId, endsOthers(work)))
}
