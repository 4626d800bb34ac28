import type { TxWork } from '../../platform/work.ts'
import { forgetDevices, voidChallenges } from '../factors/factors.ts'
import { voidLinks } from '../links/links.ts'
import { voidOtps } from '../otp/otp.ts'
import { voidCeremonies } from '../passkey-credentials/passkey-credentials.ts'
import { type RevocationReason, revokeUserSessions } from '../sessions/sessions.ts'
import { raiseEpoch, type UserRow } from './store.ts'

/**
 * Ends every way in that the user, as they were, holds at this moment. The one place for it: sessions, trusted
 * devices, mailed codes, sign-ins that wait for their second factor, and links but the one that is being redeemed.
 * Returns how many sessions.
 */
export async function cutOff(
  work: TxWork,
  user: Pick<UserRow, 'id' | 'email_norm'>,
  reason: RevocationReason,
  linkId?: string,
): Promise<number> {
  const revoked = await revokeUserSessions(work, user.id, reason)
  await forgetDevices(work, user.id)
  await voidWhatWaits(work, user, linkId)
  return revoked
}

/**
 * Ends what is on its way to a session of the user: codes, challenges, and links but the link that is being redeemed.
 * One that another request redeems at this moment is passed over by the statements for them, and refused by the user's
 * epoch.
 */
export async function voidWhatWaits(
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
