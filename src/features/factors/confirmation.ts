import { inTx, type Work } from '../../platform/work.ts'
import {
  challengeErrors,
  completeChallenge,
  getEnrollmentChallenge,
  getSubjectForUpdate,
} from '../challenges/challenges.ts'
import type { SessionTokens } from '../sessions/sessions.ts'
import { proveTotp, saveTotp } from './enrollment.ts'

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
  const challenge = token === null ? null : await getEnrollmentChallenge(work, token)
  const proven = await proveTotp(work, sent)
  if (challenge && challenge.challenge_user_id !== proven.user.id) throw challengeErrors.expired()
  const session = await inTx(work, async (work) => {
    const facts = challenge && (await getSubjectForUpdate(work, challenge))
    await saveTotp(work, proven)
    return (
      challenge &&
      facts &&
      completeChallenge(work, challenge, facts, { right: { amr: ['otp', 'mfa'], spends: [] }, events: [] })
    )
  })
  return { backupCodes: proven.backupCodes, session }
}
