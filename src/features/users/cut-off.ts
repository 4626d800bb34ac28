import type { Tx } from '../../platform/db/pool.ts'
import type { Origin } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { Platform } from '../../platform/platform.ts'
import { forgetDevices, voidChallenges } from '../factors/factors.ts'
import { voidLinks } from '../links/links.ts'
import { voidOtps } from '../otp/otp.ts'
import { voidCeremonies } from '../passkey-credentials/passkey-credentials.ts'
import { type RevocationReason, revokeUserSessions } from '../sessions/sessions.ts'
import { raiseEpoch, type UserRow } from './store.ts'

interface CutContext {
  platform: Platform
  directory: Directory
  origin: Origin
}

/**
 * Ends every way in that the user, as they were, holds at this moment. The one place for it: sessions, trusted
 * devices, mailed codes, sign-ins that wait for their second factor, and links but the one that is being redeemed.
 * Returns how many sessions.
 */
export async function cutOff(
  tx: Tx,
  context: CutContext,
  user: Pick<UserRow, 'id' | 'email_norm'>,
  reason: RevocationReason,
  linkId?: string,
): Promise<number> {
  const { platform, directory, origin } = context
  const revoked = await revokeUserSessions(tx, directory, origin, user.id, reason)
  await forgetDevices(tx, directory, user.id)
  await voidWhatWaits(tx, { platform, directory }, user, linkId)
  return revoked
}

/**
 * Ends what is on its way to a session of the user: codes, challenges, and links but the link that is being redeemed.
 * One that another request redeems at this moment is passed over by the statements for them, and refused by the user's
 * epoch.
 */
export async function voidWhatWaits(
  tx: Tx,
  { platform, directory }: Pick<CutContext, 'platform' | 'directory'>,
  user: Pick<UserRow, 'id' | 'email_norm'>,
  linkId?: string,
): Promise<void> {
  await voidOtps(tx, platform, directory, user.email_norm)
  await voidChallenges(tx, directory, user.id)
  await voidCeremonies(tx, directory, user.id)
  await voidLinks(tx, platform, directory, user, { exceptId: linkId })
  await raiseEpoch(tx, directory, user.id)
}
