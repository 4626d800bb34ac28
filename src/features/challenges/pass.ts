import { hashFactorIdentity } from '../../platform/crypto/identity.ts'
import { withPasswordPlace } from '../../platform/crypto/password-pool.ts'
import { record } from '../../platform/events.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../platform/mail/outbox.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { type Attempt, accountLocked, claimAttempt, failuresCleared, findLock } from '../lockout/lockout.ts'
import { assertMaySignIn, authSettings, completeLogin, findSignInFacts, type SignInFacts } from '../login/login.ts'
import { aboutUser, trustDeviceOf } from '../mfa/mfa.ts'
import { revokeSession, type SessionTokens } from '../sessions/sessions.ts'
import { findUserForUpdate } from '../users/users.ts'
import { challengesLockedMail } from './emails.ts'
import { challengeErrors } from './errors.ts'
import { challengeEvents } from './events.ts'
import { isDigits, judgeCode, type RightCode } from './second-factors.ts'
import { type ChallengeRow, challengeProof, claimChallengeTry, findChallenge } from './store.ts'
import { readToken } from './token.ts'

// Guessing codes stays slow where lockout is off.
const WITHOUT_LOCKOUT = { lockout_max_attempts: 5, lockout_window_seconds: 900, lockout_duration_seconds: 900 }

export interface PassedChallenge {
  session: SessionTokens
  device: { token: string; expiresAt: Date } | null
}

/**
 * Exchanges a challenge and a code for a session. The attempt is counted durably, for the challenge and for the user,
 * before the code is judged. Throws `challenge_expired`, `mfa_code_invalid`, `account_locked`, `unavailable`, and what
 * the door throws.
 */
export function passChallenge(work: Work, sent: ChallengeAnswer): Promise<PassedChallenge> {
  // A backup code costs a hash: if the pool is full, no attempt is counted.
  if (isDigits(sent.code)) return pass(work, sent)
  return withPasswordPlace(work.platform, work.directory, () => pass(work, sent))
}

interface ChallengeAnswer {
  token: string
  code: string
  trustDevice: boolean
}

async function pass(work: Work, sent: ChallengeAnswer): Promise<PassedChallenge> {
  const token = readToken(work, sent.token)
  const challenge = token && (await claimChallengeTry(work.platform.db, work.directory, token))
  if (!challenge) throw challengeErrors.expired()
  const attempt = await claimUserTry(work, challenge.user_id)
  const right = await judgeCode(work, challenge, sent.code)
  if (!right) throw await refuse(work, challenge, attempt)
  return inTx(work, (work) => admit(work, challenge, { right, trust: sent.trustDevice }))
}

/** Counts an attempt of the user, over all challenges. Throws `account_locked`. */
async function claimUserTry(work: Work, userId: string): Promise<Attempt> {
  const settings = await authSettings.effective(work)
  const limits = settings.lockout_enabled ? settings : WITHOUT_LOCKOUT
  // The guesser has passed the first factor, so the lock covers all networks at once.
  const who = { identity: hashFactorIdentity(work.platform, userId), ip: null }
  const attempt = await claimAttempt(work, who, limits)
  if (!attempt.allowed) throw accountLocked((await findLock(work, who)) ?? 1)
  return attempt
}

async function refuse(work: Work, challenge: ChallengeRow, attempt: Attempt) {
  const { id, user_id: userId } = challenge
  const locked = attempt.locks !== null
  await inTx({ ...work, db: work.platform.db }, async (work) => {
    await record(work, challengeEvents.failed(aboutUser(userId, { id, reason: 'wrong_code', locked })))
    const facts = locked ? await findSignInFacts(work, { userId: userId }) : null
    if (facts) await queueMail(work, challengesLockedMail(facts.email), NOTICE_USEFUL_SECONDS)
  })
  return challengeErrors.codeInvalid({ detail: 'The code is wrong, or has been used.' })
}

/** Consumes the code and the challenge for the session, atomically. */
async function admit(
  work: TxWork,
  challenge: ChallengeRow,
  passed: { right: RightCode; trust: boolean },
): Promise<PassedChallenge> {
  const { right, trust } = passed
  const facts = await getSubjectForUpdate(work, challenge)
  if (!(await right.consume(work, facts))) throw challengeErrors.codeInvalid({ detail: 'The code has been used.' })
  const data = { id: challenge.id, method: right.method }
  await record(work, challengeEvents.succeeded(aboutUser(facts.user_id, data)))
  const session = await completeChallenge(work, challenge, facts, right.amr)
  return { session, device: trust ? await trustDeviceOf(work, facts) : null }
}

/** The challenge that a user answers by enrolling a factor. Throws `challenge_expired` for any other. */
export async function getEnrollmentChallenge(work: Work, text: string): Promise<ChallengeRow> {
  const token = readToken(work, text)
  const challenge = token && (await findChallenge(work.db, work.directory, token))
  if (!challenge?.enrollment) throw challengeErrors.expired()
  return challenge
}

/** Locks the user's row first, as every sign-in does. Throws `challenge_expired`, and what the door throws. */
export async function getSubjectForUpdate(work: TxWork, challenge: ChallengeRow): Promise<SignInFacts> {
  const user = await findUserForUpdate(work, challenge.user_id)
  const facts = user && (await findSignInFacts(work, { userId: user.id }))
  if (!facts) throw challengeErrors.expired()
  assertMaySignIn(work, facts)
  return facts
}

/**
 * Consumes the challenge for a session of two factors and resets the count of wrong codes; the session whose refresh
 * demanded the second factor ends. Throws `challenge_expired`, and what the door throws.
 */
export async function completeChallenge(
  work: TxWork,
  challenge: ChallengeRow,
  facts: SignInFacts,
  amr: string[],
): Promise<SessionTokens> {
  const { session_id: before } = challenge
  // If that session has ended meanwhile, its challenge has too.
  if (before !== null && !(await revokeSession(work, before, 'stepped_up'))) throw challengeErrors.expired()
  const who = { identity: hashFactorIdentity(work.platform, facts.user_id), ip: null }
  const answer = await completeLogin(work, facts, {
    method: { id: challenge.auth_method },
    amr: [...new Set([...challenge.amr, ...amr])],
    aal: 'aal2',
    spends: [challengeProof({ challenge_id: challenge.id })],
    beside: [failuresCleared(work.platform, who)],
  })
  // Another request was faster, or the user was cut off. The rollback restores the code.
  if (!answer?.session) throw challengeErrors.expired()
  return answer.session
}
