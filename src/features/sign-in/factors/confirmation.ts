import { asProvenUser } from '../../../platform/events/origin.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import type { SessionTokens } from '../../access/claims/claims.ts'
import { findSignInFacts } from '../../access/login/login.ts'
import { voidPendingSignIns } from '../../directory/users/changes/changes.ts'
import {
  challengeErrors,
  completeChallenge,
  getEnrollmentChallenge,
  getSubjectForUpdate,
} from '../challenges/challenges.ts'
import { type FirstCode, proveTotp, saveTotp } from './enrollment.ts'
import { endSessions, reasons, type SessionsToEnd } from './sessions-end.ts'

/** An authenticator app whose first code was right, with the challenge that demands it. */
type ProvenApp = Awaited<ReturnType<typeof proveApp>>

/**
 * Judges the first code, and hashes the backup codes. `challengeToken` is set when a sign-in continues by enrolling. Throws
 * what proveTotp throws, `challenge_expired`.
 */
export async function proveApp(work: Work, sent: FirstCode, challengeToken: string | null) {
  const challenge = challengeToken === null ? null : await getEnrollmentChallenge(work, challengeToken)
  const proven = await proveTotp(work, sent)
  if (challenge && challenge.challenge_user_id !== proven.user.id) throw challengeErrors.expired()
  return { proven, challenge }
}

/**
 * Confirms an authenticator app, which consumes its first code, and ends what began with one factor; with a challenge that
 * demands enrollment, also creates the session. Throws what saveTotp throws, `challenge_expired`, and what the door throws.
 */
export async function confirmTotpOf(
  work: Work,
  { proven, challenge }: ProvenApp,
  toEnd: SessionsToEnd,
): Promise<{ backupCodes: string[]; session: SessionTokens | null }> {
  // In a sign-in, the user has proved who they are.
  const by = challenge ? asProvenUser(work, challenge.challenge_user_id) : work
  const session = await inTx(by, async (work) => {
    if (challenge) await getSubjectForUpdate(work, challenge)
    const user = await saveTotp(work, proven)
    // The challenge ends the session whose refresh demanded it, and makes the one in which this is asked.
    const ends = challenge ? { ...toEnd, sparedId: challenge.session_id } : toEnd
    await endSessions(work, user.id, ends, reasons.mfa_enrolled)
    // As they are now: the end of the other sessions has raised the epoch that a sign-in compares.
    const facts = challenge && (await findSignInFacts(work, { userId: user.id }))
    const passed = { right: { amr: ['otp', 'mfa'], spends: [] }, events: [] }
    const session = challenge && facts && (await completeChallenge(work, challenge, facts, passed))
    // Afterwards, since the challenge is among them.
    await voidPendingSignIns(work, user, reasons.mfa_enrolled)
    return session
  })
  return { backupCodes: proven.backupCodes, session }
}
