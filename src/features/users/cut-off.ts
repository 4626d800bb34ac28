import type { TxWork } from '../../platform/work.ts'
import { forgetDevices, voidChallenges } from '../factors/factors.ts'
import { voidLinks } from '../links/links.ts'
import { voidOtps } from '../otp/otp.ts'
import { voidCeremonies } from '../passkey-credentials/passkey-credentials.ts'
import { type RevocationReason, revokeUserSessions } from '../sessions/sessions.ts'
import { raiseEpoch, type UserRow } from './store.ts'

/**
 * Ends all access that the user currently has or is about to get: sessions, trusted devices, and pending sign-ins. The
 * one place for it. `user` is the record before the change, `linkId` the link being redeemed, which is spared.
 * @returns how many sessions ended.
 */
export async function cutOff(
  work: TxWork,
  user: Pick<UserRow, 'id' | 'email_norm'>,
  reason: RevocationReason,
  linkId?: string,
): Promise<number> {
  const revoked = await revokeUserSessions(work, user.id, reason)
  await forgetDevices(work, user.id)
  await voidPendingSignIns(work, user, linkId)
  return revoked
}

/**
 * Ends pending sign-ins of the user: codes, challenges, ceremonies and links, except the link being redeemed. What
 * another request is redeeming right now is skipped here, to avoid a deadlock, and refused by the raised epoch.
 */
export async function voidPendingSignIns(
  work: TxWork,
  user: Pick<UserRow, 'id' | 'email_norm'>,
  linkId?: string,
): Promise<void> {
  await voidOtps(work, user.email_norm)
  await voidChallenges(work, user.id)
  await voidCeremonies(work.db, work.directory, user.id)
  await voidLinks(work, user, { exceptId: linkId })
  await raiseEpoch(work.db, work.directory, user.id)
}
