import type { Identity } from '../../../platform/crypto/identity.ts'
import { makeRefreshToken } from '../../../platform/crypto/refresh-token.ts'
import type { EventInput, JoinedEvent } from '../../../platform/events/events.ts'
import { asProvenUser } from '../../../platform/events/origin.ts'
import { newId } from '../../../platform/ids.ts'
import type { UsedBeside, UsedCondition, UsedProof } from '../../../platform/joined/proofs.ts'
import type { Reading } from '../../../platform/joined/readings.ts'
import { inTxUnlessConsumed } from '../../../platform/joined/unless-consumed.ts'
import type { ValuesOf } from '../../../platform/settings/settings.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { welcomeInvited } from '../../directory/users/invited/invited.ts'
import { issueTokens, type SessionTokens } from '../claims/claims.ts'
import {
  endOldestSessions,
  hasSessions,
  lockSessionLimit,
  sessionEvents,
  sessionRoom,
  sessionSettings,
} from '../sessions/sessions.ts'
import { loginErrors } from './errors.ts'
import { loginEvents } from './events.ts'
import { type Facts, readFacts, readFactsOf } from './facts.ts'
import type { FirstProof } from './first-proof.ts'
import { assertAddressAllowed, assertMaySignIn, type Entry, type Hold, type Pass, passGates } from './gates.ts'
import type { SignInMethod } from './methods.ts'
import { sessionEndsLater, sessionOutcome } from './session-outcome.ts'
import type { SessionReply } from './session-reply.ts'
import type { SignInFacts } from './sign-in-facts.ts'
import { assertSignInsLeft, signInAllowance } from './sign-in-rate.ts'
import { spend } from './spend.ts'

/** What a sign-in method has proved about the user. */
export interface Proof {
  /** The method's id becomes the session's `auth_method`. */
  method: Pick<SignInMethod, 'id'>
  /** Authentication methods (RFC 8176). */
  amr: string[]
  /** `aal2` when the method proved two factors; absent for one. */
  aal?: 'aal2'
  /** Proofs that the statement which creates the session uses up. */
  spends: UsedProof[]
  /** Other rows that the same statement writes. */
  beside?: UsedBeside[]
  /** Events that the same statement records. */
  events?: EventInput[]
  /**
   * Set if this may be the first proof of the mailbox. `completeLogin` then also returns null if the user needs more
   * than the short path can do.
   */
  firstProof?: FirstProof
  /** Set if a sign-in that was already counted continues with its second factor. */
  isSecondStep?: boolean
  /** The id of the session, if the caller has already stored it elsewhere. Absent: a new id. */
  sessionId?: string
  /** A change of the password by this sign-in. It is written with the session, or later if a gate holds the user. */
  change?: PasswordChange
  /** The link that is being redeemed. The cut-off of a first proof of the mailbox must not end it. */
  linkId?: string
  /** The time at which the identity provider ends the session. */
  sessionEndsAt?: Date | null
  /** The SAML or OIDC connection that proved the user's identity. */
  connectionId?: string | null
  /** The language named in a sign-up request. */
  locale?: string | null
}

interface PasswordChange {
  hash: string
  /** Writes the new hash. Returns the facts about the user after the change. */
  write(): Promise<SignInFacts>
}

/** The proofs to use up and the rows to write, whether for a session or for a gate's answer. */
type Spent = Pick<Proof, 'spends' | 'beside' | 'events'> & { conditions?: UsedCondition[] }

/** The facts that gates check about a user, found by address or by id. Returns null if there is no such user. */
export async function findSignInFacts(work: Work, who: Identity | { userId: string }): Promise<SignInFacts | null> {
  return 'userId' in who ? readFactsOf(work, who.userId) : (await readFacts(work, who)).person
}

/**
 * Runs before a code or link is sent, so that the response does not depend on whether a user has the address. Pass
 * null for an action that a locked address does not prevent. Returns the facts that it has read. Throws
 * `organization_suspended`, `account_locked`.
 */
export async function assertDoorOpen<R extends object>(
  work: Work,
  who: Identity | null,
  reading?: Reading<R>,
): Promise<Facts & { read: R }> {
  const facts = await readFacts(work, who, reading)
  await assertAddressAllowed(work, facts.door)
  return facts
}

/**
 * Creates every session: each sign-in method proves the user's identity and then calls this function. The gates
 * decide whether the proof suffices. A gate that holds the user uses up the proof for its own answer, such as a
 * challenge. Pass a `work` in a transaction to write more together with the session. Returns null if the proof was
 * already used, and with `firstProof` also if the user needs more than the short path can do. Throws `rate_limited`
 * for a user who signs in too often, and what gates throw.
 */
export async function completeLogin(caller: Work, facts: SignInFacts, proof: Proof): Promise<SessionReply | null> {
  const work = asProvenUser(caller, facts.user_id)
  await assertMaySignIn(work, facts)
  const { method, amr, aal = 'aal1', change } = proof
  const entry = {
    facts,
    method: method.id,
    amr,
    aal,
    session: null,
    nextPasswordHash: change?.hash ?? null,
    isTentative: proof.firstProof !== undefined,
  }
  const allowance = proof.isSecondStep ? [] : [await signInAllowance(work)]
  const conditions = [...allowance, ...sessionEndsLater(proof.sessionEndsAt ?? null)]
  const passage = proof.firstProof
    ? await passGates(work, entry)
    : await askGates(work, entry, { ...proof, conditions })
  if (passage.kind === 'hold') return null
  const answer =
    passage.kind === 'held' ? passage.answer : await issueReply(work, { facts, proof, passed: passage, conditions })
  if (answer) work.platform.metrics.signIns.inc({ method: method.id, result: answer.session ? 'session' : 'held' })
  if (!answer && !proof.firstProof && !proof.isSecondStep) await assertSignInsLeft(work, facts.user_id)
  return answer
}

/** A gate has held the user. `answer` is null if a proof was already used. */
interface Held {
  kind: 'held'
  answer: SessionReply | null
}

/**
 * Asks the gates at a sign-in or a refresh. If a gate holds the user, the proofs in `spent` are consumed, and the
 * answer is what the gate asks for instead of a session. Pass null if no proof may be consumed yet.
 */
export async function askGates(work: Work, entry: Entry, spent: Spent | null): Promise<Pass | Held> {
  const passage = await passGates(work, entry)
  if (passage.kind === 'pass') return passage
  if (spent === null) return { kind: 'held', answer: null }
  return { kind: 'held', answer: await holdBack(work, entry.facts, spent, passage) }
}

async function holdBack(
  work: Work,
  facts: SignInFacts,
  { spends, beside = [], events = [], conditions = [] }: Spent,
  held: Hold,
): Promise<SessionReply | null> {
  const made = await spend(work, {
    user: userOf(facts),
    proofs: spends,
    beside,
    conditions: [...held.conditions, ...conditions],
    outcome: held.outcome,
    madeId: held.madeId,
    events: [...events, ...held.events],
  })
  return made && held.answer(made)
}

const userOf = (facts: SignInFacts) => ({
  id: facts.user_id,
  emailNorm: facts.email.toLowerCase(),
  epoch: facts.epoch,
})

/** A sign-in that every gate has let pass. */
interface PassedSignIn {
  /** The id of the session to create. */
  sessionId: string
  facts: SignInFacts
  proof: Proof
  passed: Pass
  /** Conditions of the sign-in itself, in addition to the conditions of the gates. */
  conditions: UsedCondition[]
  settings: ValuesOf<typeof sessionSettings>
}

async function issueReply(
  work: Work,
  signIn: Omit<PassedSignIn, 'settings' | 'sessionId'>,
): Promise<SessionReply | null> {
  const { proof, facts: known, passed } = signIn
  const settings = await sessionSettings.effective(work)
  const issue = async (work: Work) => {
    // The gates' decision still holds: a change of the password does not affect it.
    const facts = (await proof.change?.write()) ?? known
    return issueWithinLimit(work, { ...signIn, facts, settings, sessionId: proof.sessionId ?? newId() })
  }
  const session = known.invited ? await issueToInvited(work, signIn, issue) : await issue(work)
  return session && { session, ...passed.reply }
}

/** Accepts the user's invitations before the password is changed, since the change would withdraw them. */
async function issueToInvited(
  work: Work,
  { facts, proof }: Pick<PassedSignIn, 'facts' | 'proof'>,
  issue: (work: Work) => Promise<SessionTokens | null>,
): Promise<SessionTokens | null> {
  const welcome = async (work: TxWork) => {
    await welcomeInvited(work, facts.user_id, { by: proof.method.id, linkId: proof.linkId })
    return issue(work)
  }
  return work.db.isTransaction ? inTx(work, welcome) : inTxUnlessConsumed(work, welcome)
}

async function issueWithinLimit(work: Work, signIn: PassedSignIn): Promise<SessionTokens | null> {
  const { facts, settings } = signIn
  const limit = settings.max_concurrent_sessions
  // At a first proof of the mailbox the user has no session yet, so no limit can be reached.
  if (limit === 0 || signIn.proof.firstProof) return issueSession(work, signIn)
  const hadRoom = facts.sessions_at_most < limit
  const session = hadRoom ? await issueSession(work, signIn, [sessionRoom({ session_limit: limit })]) : null
  return session ?? inTx(work, (work) => issueAtLimit(work, signIn, { limit, hadRoom }))
}

/**
 * Handles a user who may have reached the session limit: counts the sessions while no other sign-in of the user can
 * proceed.
 */
async function issueAtLimit(
  work: TxWork,
  signIn: PassedSignIn,
  { limit, hadRoom }: { limit: number; hadRoom: boolean },
): Promise<SessionTokens | null> {
  const { facts, settings, sessionId } = signIn
  const atMost = await lockSessionLimit(work, facts.user_id)
  // There was room, so the session failed for another reason.
  if (atMost === null || (hadRoom && atMost < limit)) return null
  if (settings.concurrent_session_policy === 'deny_new' && (await hasSessions(work, facts.user_id, limit)))
    throw loginErrors.sessionLimitReached()
  const session = await issueSession(work, signIn)
  // Only a successful sign-in evicts the oldest session.
  if (session) await endOldestSessions(work, facts.user_id, { limit, newId: sessionId })
  return session
}

async function issueSession(
  work: Work,
  signIn: PassedSignIn,
  room: UsedCondition[] = [],
): Promise<SessionTokens | null> {
  const { platform, directory } = work
  const { facts, proof, passed, conditions, settings, sessionId } = signIn
  const refresh = makeRefreshToken(platform.keyring, { directoryId: directory.id, sessionId, generation: 0 })
  const { amr, aal = 'aal1' } = proof
  const made = await spend(work, {
    user: userOf(facts),
    proofs: proof.spends,
    beside: proof.beside ?? [],
    conditions: [...passed.conditions, ...conditions, ...room],
    madeId: sessionId,
    firstProof: proof.firstProof,
    outcome: sessionOutcome({
      auth_method: proof.method.id,
      amr,
      aal,
      refresh_hash: refresh.hash,
      trusted_device_id: passed.deviceId,
      idle_seconds: settings.session_idle_timeout_seconds,
      max_seconds: settings.session_max_lifetime_seconds,
      organization_epoch: facts.organization_epoch,
      session_ends_at: proof.sessionEndsAt?.toISOString() ?? null,
      connection_id: proof.connectionId ?? null,
    }),
    events: [...(proof.events ?? []), ...sessionEventsOf(sessionId, facts, proof), ...passed.events],
  })
  if (!made) return null
  const session = {
    sessionId,
    userId: made.auth_account_id,
    amr,
    aal,
    authenticatedAt: made.created_at,
    endsAt: made.expires_at,
    connectionId: proof.connectionId ?? null,
  }
  return issueTokens(work, { facts, session, refreshToken: refresh.token, settings })
}

function sessionEventsOf(id: string, facts: SignInFacts, proof: Proof): JoinedEvent[] {
  const { method, amr, aal = 'aal1', connectionId: connection_id = null } = proof
  const account = facts.auth_account_id
  const created = sessionEvents.created({
    target: { type: 'session', id },
    data: {
      ...{ id, user_id: account ?? id, directory_user_id: facts.user_id },
      ...{ auth_method: method.id, amr, aal, connection_id },
    },
  })
  const succeeded = loginEvents.succeeded({ target: { type: 'user', id: facts.user_id }, data: { method: method.id } })
  // A user without an auth account gets one together with this session, or with another session at the same time.
  return [account === null ? { ...created, filledField: 'user_id' } : created, succeeded]
}
