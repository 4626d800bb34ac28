import { epochSeconds } from '../../platform/clock.ts'
import type { Identity } from '../../platform/crypto/identity.ts'
import { makeRefreshToken } from '../../platform/crypto/refresh-token.ts'
import { signAccessToken } from '../../platform/crypto/signing-keys.ts'
import type { EventInput, JoinedEvent } from '../../platform/events.ts'
import { newId } from '../../platform/ids.ts'
import type { UsedBeside, UsedProof } from '../../platform/proofs.ts'
import { inTx, type Work } from '../../platform/work.ts'
import { countLiveSessions, endOldestSessions, sessionEvents } from '../sessions/sessions.ts'
import { loginErrors } from './errors.ts'
import { loginEvents } from './events.ts'
import { readFacts, type SignInFacts } from './facts.ts'
import { assertAddressWelcome, assertMaySignIn, type Hold, type Pass, passGates } from './gates.ts'
import type { SignInMethod } from './methods.ts'
import { sessionOutcome } from './session-outcome.ts'
import type { SessionAnswer, SessionTokens } from './session-reply.ts'
import { type AuthSettings, authSettings } from './settings.ts'
import { spend } from './spend.ts'

/** What a method has proved. */
export interface Proof {
  method: SignInMethod
  /** RFC 8176 */
  amr: string[]
  /** `aal2` when the method proved two factors; absent for one. */
  aal?: 'aal2'
  /** Burnt by the statement that creates the session. */
  spends: UsedProof[]
  /** Written by it besides. */
  beside?: UsedBeside[]
  /** Recorded by it besides. */
  events?: EventInput[]
}

/** What the door checks about the user of an address. Returns null when no user has it. */
export async function findSignInFacts(work: Work, who: Identity): Promise<SignInFacts | null> {
  return (await readFacts(work, who)).person
}

/**
 * Checked before a code or link is sent, so that the response does not depend on whether a user has the address.
 * Throws `organization_suspended`, `account_locked`.
 */
export async function assertDoorOpen(work: Work, who: Identity): Promise<void> {
  assertAddressWelcome(work, (await readFacts(work, who)).door)
}

/** For actions that a locked address does not prevent. Throws `organization_suspended`. */
export async function assertOrganizationOpen(work: Work): Promise<void> {
  assertAddressWelcome(work, (await readFacts(work, null)).door)
}

/**
 * The one door to a session: every method proves the user's identity and then calls this; nothing else creates a
 * session. The gates decide whether the proof suffices; one that holds the user consumes it for its own answer. `work` is
 * in a transaction when the caller has more to write with it. Returns null when the proof was already consumed.
 */
export async function completeLogin(work: Work, facts: SignInFacts, proof: Proof): Promise<SessionAnswer | null> {
  assertMaySignIn(work, facts)
  const { method, amr, aal = 'aal1' } = proof
  const passage = await passGates(work, { facts, method: method.id, amr, aal, session: null })
  if (passage.kind === 'hold') return holdBack(work, facts, proof, passage)
  const settings = await authSettings.effective(work)
  const session = await issueWithinLimit(work, { facts, proof, passed: passage, settings })
  return session && { session, ...passage.says }
}

/**
 * Burns the proof for what the gate answers instead of a session. Returns null when it was burnt already.
 */
export async function holdBack(
  work: Work,
  facts: SignInFacts,
  { spends, beside = [], events = [] }: Pick<Proof, 'spends' | 'beside' | 'events'>,
  held: Hold,
): Promise<SessionAnswer | null> {
  const made = await spend(work, {
    user: userOf(facts),
    proofs: spends,
    beside,
    conditions: held.conditions,
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
interface Admission {
  facts: SignInFacts
  proof: Proof
  passed: Pass
  settings: AuthSettings
}

async function issueWithinLimit(work: Work, admission: Admission): Promise<SessionTokens | null> {
  const { facts, settings } = admission
  const limit = settings.max_concurrent_sessions
  if (limit === null) return issueSession(work, admission)
  return inTx(work, async (work) => {
    const live = await countLiveSessions(work, facts.user_id)
    if (live >= limit && settings.concurrent_session_policy === 'deny_new') throw loginErrors.sessionLimitReached()
    const session = await issueSession(work, admission)
    // Only a successful sign-in evicts the oldest session.
    if (session) await endOldestSessions(work, facts.user_id, limit)
    return session
  })
}

async function issueSession(work: Work, admission: Admission): Promise<SessionTokens | null> {
  const { platform, directory } = work
  const { facts, proof, passed, settings } = admission
  const sessionId = newId()
  const refresh = makeRefreshToken(platform.keyring, { directoryId: directory.id, sessionId, generation: 0 })
  const { amr, aal = 'aal1' } = proof
  const made = await spend(work, {
    user: userOf(facts),
    proofs: proof.spends,
    beside: proof.beside ?? [],
    conditions: passed.conditions,
    madeId: sessionId,
    outcome: sessionOutcome({
      auth_method: proof.method.id,
      amr,
      aal,
      refresh_hash: refresh.hash,
      trusted_device_id: passed.deviceId,
      idle_seconds: settings.session_idle_timeout_seconds,
      max_seconds: settings.session_max_lifetime_seconds,
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
  }
  return issueTokens(work, { facts, session, refreshToken: refresh.token, settings })
}

function sessionEventsOf(id: string, facts: SignInFacts, proof: Proof): JoinedEvent[] {
  const { method, amr, aal = 'aal1' } = proof
  const created = sessionEvents.created({
    target: { type: 'session', id },
    // The auth account, which the user may get only with this session, fills in `user_id`.
    data: { id, user_id: id, directory_user_id: facts.user_id, auth_method: method.id, amr, aal },
  })
  const succeeded = loginEvents.succeeded({ target: { type: 'user', id: facts.user_id }, data: { method: method.id } })
  return [{ ...created, filledField: 'user_id' }, succeeded]
}

/** A session that tokens are issued for. */
export interface TokenSubject {
  sessionId: string
  userId: string
  amr: string[]
  aal: string
  authenticatedAt: Date
  /** The session's own end; no access token outlives it. */
  endsAt: Date
}

/** The input of `issueTokens`. */
interface TokenIssue {
  facts: SignInFacts
  session: TokenSubject
  refreshToken: string
  settings: AuthSettings
}

/** Signs the access token (claims of RFC 9068 §2.2 and our own) and assembles the session object. */
export async function issueTokens(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  { facts, session, refreshToken, settings }: TokenIssue,
): Promise<SessionTokens> {
  const issuedAt = epochSeconds(platform.clock)
  const left = Math.floor(session.endsAt.getTime() / 1000) - issuedAt
  const expiresIn = Math.max(1, Math.min(settings.access_token_ttl_seconds, left))
  const accessToken = await signAccessToken(platform, directory.environmentId, {
    sub: session.userId,
    aud: directory.accountId,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + expiresIn,
    jti: newId(),
    sid: session.sessionId,
    org_id: directory.organizationId,
    org_slug: facts.organization_slug,
    directory_user_id: facts.user_id,
    email: facts.email,
    email_verified: facts.email_verified,
    role: facts.role,
    roles: [],
    permissions: [],
    amr: session.amr,
    aal: session.aal,
    auth_time: Math.floor(session.authenticatedAt.getTime() / 1000),
    env: directory.environmentSlug,
    connection_id: null,
  })
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: expiresIn,
    user_id: session.userId,
    directory_user_id: facts.user_id,
  }
}
