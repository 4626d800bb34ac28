import { record } from '../../../../platform/events/events.ts'
import type { CutOff } from '../../../../platform/lifecycle/belongings.ts'
import type { EndReason } from '../../../../platform/lifecycle/end-reasons.ts'
import type { TxWork } from '../../../../platform/work.ts'
import { applyToBelongings } from '../belongings.ts'
import { updateInvitationStatus } from '../invitation.ts'
import type { HeldUser } from '../store.ts'

/**
 * Ends all access of a user, present and pending: ends sessions, removes trusted devices, and cancels sign-ins in
 * progress. Call only this function, `changeUser` or `deleteUser` for that. `how` names exceptions and additions.
 * Returns how many sessions ended.
 */
export async function cutOff(work: TxWork, user: HeldUser, reason: EndReason, how: CutOff = {}): Promise<number> {
  const { announced, changed } = await applyToBelongings(work, 'cutOff', { user, reason, ...how })
  await record(work, ...announced)
  await updateInvitationStatus(work, user)
  return changed.sessions ?? 0
}

/**
 * Invalidates everything with which the user could complete a sign-in: codes, challenges, ceremonies and links. A link
 * that another request is just redeeming is skipped. The raised epoch then makes that request fail. If `devices` is
 * true, also removes trusted devices.
 */
export async function voidPendingSignIns(work: TxWork, user: HeldUser, reason: EndReason, devices = false) {
  await applyToBelongings(work, 'cutOff', { user, reason, keepsSessions: true, devices })
  await updateInvitationStatus(work, user)
}
