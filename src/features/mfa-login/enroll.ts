import { inTx, type Work } from '../../platform/work.ts'
import { findChallenge } from '../factors/factors.ts'
import type { SessionTokens } from '../login/login.ts'
import { mfaErrors, proveTotp, saveTotp } from '../mfa/mfa.ts'
import { completeChallenge, getSubjectForUpdate } from './challenge.ts'

export interface ConfirmTotp {
  userId: string
  pendingId: string
  code: string
  /** Set when a sign-in continues by enrolling. */
  challengeToken: string | null
}

export interface ConfirmedTotp {
  backupCodes: string[]
  session: SessionTokens | null
}

/**
 * Confirms an authenticator app, which consumes its first code; with a challenge that demands enrollment, also creates
 * the session. Throws what proveTotp and saveTotp throw, `challenge_expired`, and what the door throws.
 */
export async function confirmTotpOf(work: Work, sent: ConfirmTotp): Promise<ConfirmedTotp> {
  const token = sent.challengeToken
  const challenge = token === null ? null : await findChallenge(work, { token, ip: work.origin.endUser.ip })
  if (token !== null && !challenge?.enrollment) throw mfaErrors.challengeExpired()
  const proven = await proveTotp(work, sent)
  if (challenge && challenge.user_id !== proven.user.id) throw mfaErrors.challengeExpired()
  const session = await inTx(work, async (work) => {
    const facts = challenge && (await getSubjectForUpdate(work, challenge))
    await saveTotp(work, proven)
    return challenge && facts && completeChallenge(work, challenge, facts, ['otp', 'mfa'])
  })
  return { backupCodes: proven.backupCodes, session }
}
