import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { unlessRequired } from '../../access/self-management/self-management.ts'
import { removeTotpOf } from './enrollment.ts'
import { removePhoneOf } from './sms.ts'

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
