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

/** An authenticator app whose first code was right, and the challenge that demands its enrollment. */
type ProvenApp = Awaited<ReturnType<typeof proveApp>>

/**
 * Checks the first code, and hashes the backup codes. `challengeToken` is set if a sign-in continues with this
 * enrollment. Throws what `proveTotp` throws, and `challenge_expired`.
 */
export async function proveApp(work: Work, sent: FirstCode, challengeToken: string | null) {
  const challenge = challengeToken === null ? null : await getEnrollmentChallenge(work, challengeToken)
  const proven = await proveTotp(work, sent)
  if (challenge && challenge.challenge_user_id !== proven.user.id) throw challengeErrors.expired()
  return { proven, challenge }
}

/**
 * Confirms an authenticator app, which consumes its first code, and ends access that was granted with one factor. If a
 * challenge demands the enrollment, also creates the session. Throws what `saveTotp` throws, `challenge_expired`, and
 * what the gates throw.
 */
export async function confirmTotpOf(
  work: Work,
  { proven, challenge }: ProvenApp,
  toEnd: SessionsToEnd,
): Promise<{ backupCodes: string[]; session: SessionTokens | null }> {
  // In a sign-in, the user has proved who they are, so the user is the actor.
  const by = challenge ? asProvenUser(work, challenge.challenge_user_id) : work
  const session = await inTx(by, async (work) => {
    if (challenge) await getSubjectForUpdate(work, challenge)
    const user = await saveTotp(work, proven)
    // Spares the session whose refresh demanded the factor: completing the challenge ends it and creates its
    // successor.
    const ends = challenge ? { ...toEnd, sparedId: challenge.session_id } : toEnd
    await endSessions(work, user.id, ends, reasons.mfa_enrolled)
    // Read after the sessions ended, because that raised the epoch that a sign-in compares.
    const facts = challenge && (await findSignInFacts(work, { userId: user.id }))
    const passed = { right: { amr: ['otp', 'mfa'], spends: [] }, events: [] }
    const session = challenge && facts && (await completeChallenge(work, challenge, facts, passed))
    // Runs last, because the challenge itself is a pending sign-in.
    await voidPendingSignIns(work, user, reasons.mfa_enrolled)
    return session
  })
  return { backupCodes: proven.backupCodes, session }
}
