import { hashFactorIdentity } from '../../../platform/crypto/identity.ts'
import { withPasswordPlace } from '../../../platform/crypto/password-pool.ts'
import type { EventInput } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import type { UsedProof } from '../../../platform/joined/proofs.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { assertMaySignIn, loginErrors, type SignInFacts } from '../../access/login/login.ts'
import type { MfaMethod } from '../../access/mfa/mfa.ts'
import { getUserForUpdate } from '../../directory/users/users.ts'
import { clearFailures } from '../lockout/lockout.ts'
import { challengeErrors } from './errors.ts'
import { findChallenge, recordWrongCode, succeededEvent, verifyAttempt } from './pass.ts'
import { isDigits, listOffered } from './second-factors.ts'
import { challengeProof, insertSessionChallenge } from './store.ts'
import { makeToken } from './token.ts'

/** The session whose user proves a second factor again. */
export interface SessionOfUser {
  id: string
  userId: string
}

/** A challenge for the user of an existing session. */
export interface SessionChallenge {
  token: string
  expiresAt: Date
  deliveryHint: string | null
}

/**
 * Starts a step-up with a second factor. The user has five attempts, which also count toward the limit for all factors
 * of the user. For `sms`, sends a code. Throws `method_disabled` for a factor that the user lacks or the policy
 * refuses, `rate_limited`, and what the gates throw.
 */
export async function beginInSession(work: Work, session: SessionOfUser, method: MfaMethod): Promise<SessionChallenge> {
  const token = makeToken(work, 'step-up')
  const expiresAt = await inTx(work, async (work) => {
    const user = await getUserForUpdate(work, session.userId)
    return insertSessionChallenge(work.db, work.directory, {
      id: newId(),
      token,
      userId: user.id,
      epoch: user.epoch,
      sessionId: session.id,
      failureIdentity: hashFactorIdentity(work.platform, user.id),
    })
  })
  const { challenge, facts } = await findChallenge(work, token.token, 'step-up')
  if (!facts) throw challengeErrors.expired()
  await assertMaySignIn(work, facts)
  const factor = (await listOffered(work, challenge)).find((offered) => offered.method === method)
  if (!factor)
    throw loginErrors.methodDisabled({ detail: `The user has no ${method}, or the MFA policy does not allow it.` })
  const sent = await factor.send?.(work, challenge, facts)
  return { token: token.token, expiresAt, deliveryHint: sent?.deliveryHint ?? null }
}

/** A second factor that was right in a step-up and is still to be consumed. */
export interface ProvedFactor {
  facts: SignInFacts
  method: MfaMethod
  amr: string[]
  spends: UsedProof[]
  events: EventInput[]
  /** Extra work in the transaction that consumes the proof. Returns false if it was already consumed. */
  also(work: TxWork): Promise<boolean>
}

/**
 * Checks a code in a step-up, after counting the attempt. Throws `challenge_expired`, `mfa_code_invalid`,
 * `account_locked`, `unavailable`.
 */
export function proveInSession(
  work: Work,
  session: SessionOfUser,
  sent: { token: string; code: string },
): Promise<ProvedFactor> {
  const prove = async () => {
    const { challenge, attempt, facts, right } = await verifyAttempt(work, sent, 'step-up')
    if (!right) throw await recordWrongCode(work, challenge, attempt)
    if (challenge.session_id !== session.id || facts?.user_id !== session.userId) throw challengeErrors.expired()
    const { method, amr, spends, also } = right
    return {
      facts,
      method,
      amr,
      spends: [challengeProof({ challenge_id: challenge.challenge_id }), ...spends],
      events: [succeededEvent(challenge, right)],
      async also(work: TxWork) {
        const who = { identity: hashFactorIdentity(work.platform, session.userId), ip: null }
        await clearFailures(work, who).execute()
        return (await also?.(work, facts)) ?? true
      },
    }
  }
  // Checking a backup code computes a hash. If the hashing pool is full, the request fails before an attempt is
  // counted.
  return isDigits(sent.code) ? prove() : withPasswordPlace(work, prove)
}
