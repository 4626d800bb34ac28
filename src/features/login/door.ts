import { type OperationNodeSource, sql } from 'kysely'
import { epochSeconds } from '../../platform/clock.ts'
import { hashIdentity } from '../../platform/crypto/identity.ts'
import { makeRefreshToken } from '../../platform/crypto/refresh-token.ts'
import { signAccessToken } from '../../platform/crypto/signing-keys.ts'
import type { Db } from '../../platform/db/pool.ts'
import { recordIfAny } from '../../platform/events.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { newId } from '../../platform/ids.ts'
import type { EmailAddress } from '../../platform/mail/address.ts'
import type { Platform } from '../../platform/platform.ts'
import { inTx, type Work } from '../../platform/work.ts'
import { accountLocked, networksOf } from '../lockout/lockout.ts'
import { type Demand, demandFactor } from '../mfa/mfa.ts'
import { countLiveSessions, endOldestSessions } from '../sessions/sessions.ts'
import { answerChallenge } from './challenge.ts'
import { loginErrors } from './errors.ts'
import type { SessionAnswer, SessionTokens } from './session-reply.ts'
import { type AuthSettings, authSettings } from './settings.ts'
import { type DoorState, findDoorState, findSignInFactsByEmail, type SignInFacts, signIn } from './store.ts'

/** The ways to prove who one is: `auth_method` of a session. */
export const authMethods = ['password', 'otp', 'magic_link', 'invite', 'signup', 'passkey'] as const

/** What a method has proved. */
export interface Proof {
  method: (typeof authMethods)[number]
  /** RFC 8176 */
  amr: string[]
  /** Absent: one factor. `aal2`: two, of which the second needs no asking for. */
  aal?: 'aal2'
  /** Consumes the one-time secret within the statement that makes the session. */
  consume(db: Db): OperationNodeSource
  /** Another statement that is written with it, whenever the proof holds. */
  alongside?(db: Db): OperationNodeSource
}

/** Who is asked about: an address, and what its codes, links and counters are filed under. */
export interface Identity {
  address: EmailAddress
  hash: Buffer
}

export function identify(platform: Platform, address: EmailAddress): Identity {
  return { address, hash: hashIdentity(platform, address.norm) }
}

/** What the door looks at of whoever has an address; null: nobody has it. One statement. */
export async function findSignInFacts(work: Work, who: Identity): Promise<SignInFacts | null> {
  const { platform, directory, origin, db } = work
  const networks = networksOf(platform, origin.endUser.ip)
  return findSignInFactsByEmail(db, directory, { emailNorm: who.address.norm, identity: who.hash, networks })
}

/**
 * Asked before a code or link is sent, so that the answer does not depend on whether anybody has the address.
 * Throws `organization_suspended`, `account_locked`.
 */
export async function assertDoorOpen(work: Work, who: Identity): Promise<void> {
  const { platform, directory, origin, db } = work
  const networks = networksOf(platform, origin.endUser.ip)
  const state = await findDoorState(db, directory, { identity: who.hash, networks })
  assertOpen(directory, state)
}

/** For what a lock of somebody's address does not stop. Throws `organization_suspended`. */
export async function assertOrganizationOpen({ db, directory }: Work): Promise<void> {
  assertOpen(directory, await findDoorState(db, directory, { identity: Buffer.alloc(0), networks: [] }))
}

function assertOpen(directory: Directory, state: DoorState): void {
  const status = directory.organizationId === null ? 'active' : (state.organization_status ?? 'archived')
  if (status !== 'active') throw organizationSuspended(status)
  if (state.locked_seconds !== null) throw accountLocked(state.locked_seconds)
}

function organizationSuspended(status: string) {
  return loginErrors.organizationSuspended({ extra: { organization_status: status } })
}

/**
 * Whether this person may hold a session here, asked at every sign-in and every refresh.
 * Throws `organization_suspended`, `account_locked`, `user_inactive`.
 */
export function assertMaySignIn(facts: SignInFacts): void {
  if (facts.organization_status !== null && facts.organization_status !== 'active')
    throw organizationSuspended(facts.organization_status)
  if (facts.locked_seconds !== null) throw accountLocked(facts.locked_seconds)
  if (!facts.active) throw loginErrors.userInactive()
}

/**
 * The one door to a session: every method proves who, then comes here, and nothing else makes one. Whether a second
 * factor is needed is decided here alone; then the proof is spent for a challenge, and there is no session yet.
 * `work` is in a transaction when the caller has more to write with it. Null: the proof had been consumed already.
 */
export async function completeLogin(work: Work, facts: SignInFacts, proof: Proof): Promise<SessionAnswer | null> {
  assertMaySignIn(facts)
  const settings = await authSettings.effective(work)
  const demand = proof.aal === 'aal2' ? null : await demandFactor(work, facts, settings)
  if (demand && demand.kind !== 'nothing')
    return answerChallenge(work, {
      facts,
      authMethod: proof.method,
      amr: proof.amr,
      sessionId: null,
      demand,
      proof: proof.consume(work.db),
      alongside: proof.alongside?.(work.db) ?? null,
    })
  const session = await openSession(work, { facts, proof, demand, settings })
  return session && { session, ...mentionGrace(demand) }
}

/** What the answer tells a user who may go without the factor that is required. */
export function mentionGrace(demand: Demand | null): Pick<SessionAnswer, 'mfa'> {
  const endsAt = demand?.graceEndsAt ?? null
  return endsAt === null ? {} : { mfa: { required: true, enrolled: false, grace_ends_at: endsAt.toISOString() } }
}

/** A sign-in that every factor was shown for. */
interface Admission {
  facts: SignInFacts
  proof: Proof
  demand: Demand | null
  settings: AuthSettings
}

async function openSession(work: Work, admission: Admission): Promise<SessionTokens | null> {
  const { facts, settings } = admission
  const limit = settings.max_concurrent_sessions
  if (limit === null) return issueSession(work, admission)
  return inTx(work, async (work) => {
    const live = await countLiveSessions(work, facts.user_id)
    if (live >= limit && settings.concurrent_session_policy === 'deny_new') throw loginErrors.sessionLimitReached()
    const session = await issueSession(work, admission)
    // Only a sign-in that succeeded costs the oldest session.
    if (session) await endOldestSessions(work, facts.user_id, limit)
    return session
  })
}

async function issueSession(work: Work, admission: Admission): Promise<SessionTokens | null> {
  const { platform, directory, origin, db } = work
  const { facts, proof, demand, settings } = admission
  const sessionId = newId()
  const refresh = makeRefreshToken(platform.keyring, { directoryId: directory.id, sessionId, generation: 0 })
  const aal = proof.aal ?? 'aal1'
  const data = { id: sessionId, directory_user_id: facts.user_id, auth_method: proof.method, amr: proof.amr, aal }
  const made = await signIn(db, directory, {
    proof: proof.consume(db),
    alongside: proof.alongside?.(db) ?? null,
    userId: facts.user_id,
    emailNorm: facts.email.toLowerCase(),
    epoch: facts.epoch,
    newAuthAccountId: newId(),
    unchanged: demand?.unchanged ?? sql`true`,
    session: {
      id: sessionId,
      authMethod: proof.method,
      amr: proof.amr,
      aal,
      ipAddress: origin.endUser.ip,
      userAgent: origin.endUser.userAgent,
      refreshHash: refresh.hash,
      idleSeconds: settings.session_idle_timeout_seconds,
      maxSeconds: settings.session_max_lifetime_seconds,
      trustedDeviceId: demand?.deviceId ?? null,
    },
    record: recordIfAny(
      work,
      'session',
      { type: 'session.created', target: { type: 'session', id: sessionId }, data },
      { type: 'auth.login.succeeded', target: { type: 'user', id: facts.user_id }, data: { method: proof.method } },
    ),
  })
  if (!made) return null
  const session = {
    sessionId,
    userId: made.auth_account_id,
    amr: proof.amr,
    aal,
    authenticatedAt: made.created_at,
    endsAt: made.expires_at,
  }
  return handOut(work, { facts, session, refreshToken: refresh.token, settings })
}

/** A session that tokens are made for. */
export interface TokenSubject {
  sessionId: string
  userId: string
  amr: string[]
  aal: string
  authenticatedAt: Date
  /** The session's own end, which its access tokens do not outlive. */
  endsAt: Date
}

/** What a session object is made of. */
interface TokenHandout {
  facts: SignInFacts
  session: TokenSubject
  refreshToken: string
  settings: AuthSettings
}

/** Signs the access token (claims of RFC 9068 §2.2 and ours) and puts the session object together. */
export async function handOut(
  { platform, directory }: Pick<Work, 'platform' | 'directory'>,
  { facts, session, refreshToken, settings }: TokenHandout,
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
