import { findChallenge } from '../factors/factors.ts'
import type { LoginContext, SessionTokens } from '../login/login.ts'
import { mfaErrors, proveTotp, saveTotp } from '../mfa/mfa.ts'
import { lockSubject, openSession } from './challenge.ts'

export interface ConfirmTotp {
  userId: string
  pendingId: string
  code: string
  /** Of a sign-in that goes on by enrolling. */
  challengeToken: string | null
}

export interface ConfirmedTotp {
  backupCodes: string[]
  session: SessionTokens | null
}

/**
 * Confirms an authenticator app, and with a challenge that asks for enrollment opens the session. The first code is
 * spent with it. Throws what proveTotp and saveTotp throw, `challenge_expired`, and what the door throws.
 */
export async function confirmTotpOf(context: LoginContext, sent: ConfirmTotp): Promise<ConfirmedTotp> {
  const { platform, directory, origin } = context
  const token = sent.challengeToken
  const challenge =
    token === null ? null : await findChallenge(platform.db, platform, directory, { token, ip: origin.endUser.ip })
  if (token !== null && !challenge?.enrollment) throw mfaErrors.challengeExpired()
  const proven = await proveTotp(context, sent)
  if (challenge && challenge.user_id !== proven.user.id) throw mfaErrors.challengeExpired()
  const session = await platform.tx(async (tx) => {
    const facts = challenge && (await lockSubject(tx, context, challenge))
    await saveTotp(tx, context, proven)
    return challenge && facts && openSession(tx, context, challenge, facts, ['otp', 'mfa'])
  })
  return { backupCodes: proven.backupCodes, session }
}
