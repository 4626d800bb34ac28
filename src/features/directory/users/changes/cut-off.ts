import { record } from '../../../../platform/events/events.ts'
import type { CutOff } from '../../../../platform/lifecycle/belongings.ts'
import type { EndReason } from '../../../../platform/lifecycle/end-reasons.ts'
import type { TxWork } from '../../../../platform/work.ts'
import { applyToBelongings } from '../belongings.ts'
import { settleInvitation } from '../invitation.ts'
import type { HeldUser } from '../store.ts'

/**
 * Ends all access that the user has or is about to get, sessions and trusted devices and pending sign-ins: the one place
 * for it, with `changeUser` and `deleteUser`. `how` says what is spared or goes besides. Returns how many sessions ended.
 */
export async function cutOff(work: TxWork, user: HeldUser, reason: EndReason, how: CutOff = {}): Promise<number> {
  const { announced, changed } = await applyToBelongings(work, 'cutOff', { user, reason, ...how })
  await record(work, ...announced)
  await settleInvitation(work, user)
  return changed.sessions ?? 0
}

/**
 * Ends pending sign-ins of the user: codes, challenges, ceremonies and links. A link that another request is redeeming
 * right now is skipped, and refused by the raised epoch. With `devices`, of trusted devices, too.
 */
export async function voidPendingSignIns(work: TxWork, user: HeldUser, reason: EndReason, devices = false) {
  await applyToBelongings(work, 'cutOff', { user, reason, keepsSessions: true, devices })
  await settleInvitation(work, user)
}
