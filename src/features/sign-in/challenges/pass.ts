import { hashFactorIdentity } from '../../../platform/crypto/identity.ts'
import { LEAST_COST } from '../../../platform/crypto/password-cost.ts'
import { withPasswordPlace, withPasswordTurn } from '../../../platform/crypto/password-pool.ts'
import { invalidField } from '../../../platform/errors.ts'
import { type EventInput, record } from '../../../platform/events/events.ts'
import { asProvenUser } from '../../../platform/events/origin.ts'
import { burn, type UsedProof } from '../../../platform/joined/proofs.ts'
import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import { authorize } from '../../../platform/tenancy/authorize.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import type { SessionTokens } from '../../access/claims/claims.ts'
import {
  assertMaySignIn,
  assertProviderServed,
  completeLogin,
  findSignInFacts,
  readFacts,
  type SignInFacts,
  writeHeldChange,
} from '../../access/login/login.ts'
import { aboutUser, trustDeviceOf } from '../../access/mfa/mfa.ts'
import { revokeSession } from '../../access/sessions/sessions.ts'
import { findUserById, findUserForUpdate } from '../../directory/users/users.ts'
import { accountLocked, failuresCleared, findLock, lockoutSettings } from '../lockout/lockout.ts'
import { challengesLockedMail } from './emails.ts'
import { challengeErrors } from './errors.ts'
import { challengeEvents } from './events.ts'
import { isDigits, type RightCode, verifyCode } from './second-factors.ts'
import {
  type ChallengeRow,
  challengeProof,
  isChallenge,
  isLiveChallenge,
  shownChallenge,
  triedChallenge,
} from './store.ts'
import { readToken, type TokenUse } from './token.ts'

const reasons = defineEndReasons('stepped_up')

// Limits guesses of codes where the lockout setting is off.
const WITHOUT_LOCKOUT = { lockout_max_attempts: 5, lockout_window_seconds: 900, lockout_duration_seconds: 900 }

export interface PassedChallenge {
  session: SessionTokens
  device: { token: string; expiresAt: Date } | null
}

/**
 * Exchanges a challenge and a code for a session. The attempt is counted in its own transaction, for the challenge and
 * for the user, before the code is checked. Throws `challenge_expired`, `mfa_code_invalid`, `account_locked`,
 * `unavailable`, and what the gates throw.
 */
export function passChallenge(work: Work, sent: ChallengeAnswer): Promise<PassedChallenge> {
  // Checking a backup code computes a hash. If the hashing pool is full, the request fails before an attempt is
  // counted.
  if (isDigits(sent.code)) return pass(work, sent)
  return withPasswordPlace(work, () => pass(work, sent))
}

interface ChallengeAnswer {
  token: string
  code: string
  trustDevice: boolean
}

async function pass(caller: Work, sent: ChallengeAnswer): Promise<PassedChallenge> {
  const { challenge, attempt, facts, right } = await verifyAttempt(caller, sent)
  if (!right) throw await recordWrongCode(caller, challenge, attempt)
  if (!facts) throw challengeErrors.expired()
  const work = asProvenUser(caller, facts.user_id)
  const passed = { right, events: [succeededEvent(challenge, right)] }
  // These extra rows must commit together with the session.
  if (challenge.session_id !== null || challenge.next_password_hash !== null || right.also || sent.trustDevice)
    return inTx(work, (work) => redeemChallenge(work, challenge, passed, sent.trustDevice))
  return { session: await completeChallenge(work, challenge, facts, passed), device: null }
}

/**
 * Counts the attempt and checks the code once the request has its place in the queue. A request that is rejected while
 * it waits uses no attempt.
 */
export async function verifyAttempt(
  work: Work,
  { token, code }: Pick<ChallengeAnswer, 'token' | 'code'>,
  use: TokenUse = 'challenge',
): Promise<Tried & { right: RightCode | null }> {
  const tryCode = async () => {
    const tried = await tryChallenge(work, token, use)
    return { ...tried, right: await verifyCode(work, tried.challenge, code) }
  }
  return isDigits(code) ? tryCode() : withPasswordTurn(work, LEAST_COST, tryCode)
}

export function succeededEvent(
  { challenge_id: id, challenge_user_id }: ChallengeRow,
  { method }: RightCode,
): EventInput {
  return challengeEvents.succeeded(aboutUser(challenge_user_id, { id, method }))
}

interface Tried {
  challenge: ChallengeRow
  /** Null if the user no longer exists. */
  facts: SignInFacts | null
  /** Whether this attempt was the last one before the user is locked out. */
  attempt: { locked: boolean }
}

/**
 * Counts one attempt at the challenge and one for the user across all challenges. Throws `challenge_expired`,
 * `account_locked`.
 */
async function tryChallenge(work: Work, text: string, use: TokenUse = 'challenge'): Promise<Tried> {
  const settings = await lockoutSettings.effective(work)
  const token = readToken(work, text, use)
  if (!token) throw challengeErrors.expired()
  const reading = triedChallenge(settings.lockout_enabled ? settings : WITHOUT_LOCKOUT, token)
  const { person, read } = await readFacts({ ...work, db: work.platform.db }, null, reading)
  if (!isChallenge(read)) throw challengeErrors.expired()
  if (isCutOff(read, person)) throw challengeErrors.expired()
  // The person guessing has passed the first factor, so the lock applies to all networks at once.
  const who = { identity: hashFactorIdentity(work.platform, read.challenge_user_id), ip: null }
  if (!read.is_allowed) throw accountLocked((await findLock(work, who)) ?? 1)
  return { challenge: read, facts: person, attempt: { locked: read.locked_until !== null } }
}

/** Records a wrong code, and notifies the user if this attempt locked them out. */
export async function recordWrongCode(work: Work, challenge: ChallengeRow, { locked }: Tried['attempt']) {
  const { challenge_id: id, challenge_user_id: userId } = challenge
  await inTx({ ...work, db: work.platform.db }, async (work) => {
    await record(work, challengeEvents.failed(aboutUser(userId, { id, reason: 'wrong_code', locked })))
    const facts = locked ? await findSignInFacts(work, { userId }) : null
    if (facts) await queueMail(work, challengesLockedMail(facts), NOTICE_USEFUL_SECONDS)
  })
  return challengeErrors.codeInvalid({ detail: 'The code is wrong or was already used.' })
}

/** The code that passed a challenge, and the events to record for it. */
interface Passed {
  right: Pick<RightCode, 'amr' | 'spends' | 'also'>
  events: EventInput[]
}

/** Consumes the code and the challenge and creates the session, atomically with the extra rows. */
async function redeemChallenge(
  work: TxWork,
  challenge: ChallengeRow,
  passed: Passed,
  trust: boolean,
): Promise<PassedChallenge> {
  const facts = await getSubjectForUpdate(work, challenge)
  const { right } = passed
  if (right.also && !(await right.also(work, facts))) throw codeUsed()
  const session = await completeChallenge(work, challenge, facts, passed)
  return { session, device: trust ? await trustDeviceOf(work, facts) : null }
}

const codeUsed = () => challengeErrors.codeInvalid({ detail: 'The code was already used.' })

/**
 * Whether the user was cut off after they proved the first factor, for example because the password they used was
 * replaced. The sign-in compares the epoch in these facts with the user's epoch.
 */
function isCutOff({ user_epoch }: ChallengeRow, facts: SignInFacts | null): boolean {
  return user_epoch !== null && facts !== null && user_epoch !== facts.epoch
}

/** Finds the live challenge of a token, and the facts about its user. */
export async function findChallenge(work: Work, text: string, use: TokenUse = 'challenge') {
  const token = readToken(work, text, use)
  if (!token) return { challenge: null, facts: null }
  const reading = shownChallenge({ token_hash: token.hash, client_network: token.network })
  const { person, read } = await readFacts(work, null, reading)
  return isChallenge(read) && !isCutOff(read, person)
    ? { challenge: read, facts: person }
    : { challenge: null, facts: null }
}

/**
 * Returns a challenge that the user answers by enrolling a factor. Throws `challenge_expired` for any other challenge.
 */
export async function getEnrollmentChallenge(work: Work, text: string): Promise<ChallengeRow> {
  const { challenge } = await findChallenge(work, text)
  if (!challenge?.enrollment) throw challengeErrors.expired()
  return challenge
}

/**
 * Checks whether a backend may enroll a factor. A challenge that demands enrollment allows it for its own user only.
 * Without a challenge, the caller needs `mfa.write`, and the user must not be a member of the team, because members
 * enroll in their own session. Throws `challenge_expired`, `user_not_found`, `insufficient_scope`, `invalid_request`.
 */
export async function assertMayEnroll(
  work: Work & { caller: ManagerCaller },
  sent: { userId: string; challenge_token?: string },
): Promise<void> {
  if (sent.challenge_token !== undefined) {
    const { challenge_user_id: asked } = await getEnrollmentChallenge(work, sent.challenge_token)
    // A caller with a challenge must not learn which other user ids exist.
    if ((await findUserById(work, sent.userId))?.id !== asked) throw challengeErrors.expired()
    return
  }
  authorize(work.caller, 'mfa.write')
  if (work.directory.kind === 'console')
    throw invalidField('challenge_token', 'required', 'challenge_token is required for a team member')
}

/** Locks the user's row first, as every sign-in does. Throws `challenge_expired`, and what the gates throw. */
export async function getSubjectForUpdate(work: TxWork, challenge: ChallengeRow): Promise<SignInFacts> {
  const user = await findUserForUpdate(work, challenge.challenge_user_id)
  const facts = user && (await findSignInFacts(work, { userId: user.id }))
  if (!facts || isCutOff(challenge, facts)) throw challengeErrors.expired()
  await assertMaySignIn(work, facts)
  return facts
}

/**
 * Consumes the challenge, creates a session with two factors and resets the count of wrong codes. If a refresh
 * demanded the second factor, the refreshed session ends. Throws `challenge_expired`, `service_disabled`, and what the
 * gates throw.
 */
export async function completeChallenge(
  caller: Work,
  challenge: ChallengeRow,
  facts: SignInFacts,
  { right, events }: Passed,
): Promise<SessionTokens> {
  const work = asProvenUser(caller, facts.user_id)
  const { challenge_id: id, session_id: before } = challenge
  // Sessions can be refreshed while the service is off, so a challenge that began with a refresh can be passed too.
  if (before === null) await assertProviderServed(work, challenge.auth_method)
  const spends = [challengeProof({ challenge_id: id }), ...right.spends]
  const { next_password_hash: nextHash } = challenge
  // If the refreshed session has ended meanwhile, its challenge is no longer valid either.
  if (before !== null && !(await revokeSession(work, before, reasons.stepped_up))) throw challengeErrors.expired()
  const who = { identity: hashFactorIdentity(work.platform, facts.user_id), ip: null }
  const changed =
    nextHash === null
      ? facts
      : await writeChange(work, facts, { spends, hash: nextHash, method: challenge.auth_method })
  const answer =
    changed &&
    (await completeLogin(work, changed, {
      method: { id: challenge.auth_method },
      amr: [...new Set([...challenge.amr, ...right.amr])],
      aal: 'aal2',
      isSecondStep: true,
      // The session gets the challenge's id, so that rows stored for the pending sign-in belong to the session.
      sessionId: id,
      sessionEndsAt: challenge.session_ends_at,
      connectionId: challenge.connection_id,
      spends: nextHash === null ? spends : [],
      beside: [failuresCleared(work.platform, who)],
      events,
    }))
  if (answer?.session) return answer.session
  // Either another request used this code or this challenge first, or the user was cut off.
  if (right.spends.length > 0 && (await isLiveChallenge(work.db, work.directory, id))) throw codeUsed()
  throw challengeErrors.expired()
}

/**
 * Consumes the proofs, then writes the password that waited for them, which ends all other access of the user. Returns
 * the facts after the change, or null if a proof was already consumed. The caller has a transaction.
 */
async function writeChange(
  work: Work,
  { user_id: userId }: SignInFacts,
  { spends, ...change }: { spends: UsedProof[]; hash: string; method: string },
): Promise<SignInFacts | null> {
  return inTx(work, async (work) => {
    for (const proof of spends) if (!(await burn(work, proof, userId))) return null
    await writeHeldChange(work, { ...change, userId })
    return findSignInFacts(work, { userId })
  })
}
