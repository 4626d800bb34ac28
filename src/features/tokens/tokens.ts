import type { JWTPayload } from 'jose'
import {
  looksLikeRefreshToken,
  makeRefreshToken,
  parseRefreshToken,
  type RefreshToken,
} from '../../platform/crypto/refresh-token.ts'
import { verifyAccessToken } from '../../platform/crypto/signing-keys.ts'
import { sameHash } from '../../platform/crypto/tokens.ts'
import { coalesce } from '../../platform/db/coalesce.ts'
import { httpErrors } from '../../platform/errors.ts'
import { record } from '../../platform/events.ts'
import {
  accountDirectory,
  type Directory,
  directoryInReach,
  directoryOfOrganization,
  type Reach,
} from '../../platform/http/directory.ts'
import { isId } from '../../platform/ids.ts'
import { perPlatform } from '../../platform/platform.ts'
import { inTx, type Work } from '../../platform/work.ts'
import {
  type AuthSettings,
  answerChallenge,
  assertMaySignIn,
  authSettings,
  handOut,
  mentionGrace,
  type SessionAnswer,
} from '../login/login.ts'
import { demandAtRefresh } from '../mfa/mfa.ts'
import { revokeSession, revokeUserSessions } from '../sessions/sessions.ts'
import { tokenErrors } from './errors.ts'
import {
  findTokenSessions,
  type Rotation,
  rotateRefreshTokens,
  type SessionPlace,
  selectLiveSession,
  type TokenSession,
} from './store.ts'

// Refreshes and introspections that come at once share a statement, each answered only after it.
const readSession = perPlatform((platform) =>
  coalesce({ run: (places: SessionPlace[]) => findTokenSessions(platform.db, places) }),
)
const rotate = perPlatform((platform) =>
  coalesce({ run: (items: Rotation[]) => rotateRefreshTokens(platform.db, items), keyOf: (item) => item.sessionId }),
)

/**
 * Answers the successor of a refresh token, or a challenge where a second factor has come to be required. The same
 * token again within the reuse interval answers the same successor; later, or an older token, ends the session
 * (RFC 9700 §4.14.2).
 * Throws `refresh_token_invalid`, `refresh_token_reused`, and what the door to a session throws.
 */
export async function refreshSession(work: Work, token: string): Promise<SessionAnswer> {
  const presented = parseRefreshToken(work.platform.keyring, token)
  if (!presented || presented.directoryId !== work.directory.id) throw tokenErrors.refreshTokenInvalid()
  // A second look only when another request rotated in between; that one decides, for the generation only grows.
  return (await tryRefresh(work, presented)) ?? (await refreshLost(work, presented))
}

async function refreshLost(work: Work, presented: RefreshToken): Promise<SessionAnswer> {
  const tokens = await tryRefresh(work, presented)
  if (!tokens) throw tokenErrors.refreshTokenInvalid()
  return tokens
}

async function tryRefresh(work: Work, presented: RefreshToken): Promise<SessionAnswer | null> {
  const { platform, directory } = work
  const session = await readSession(platform)({ directory, sessionId: presented.sessionId })
  if (!session) throw tokenErrors.refreshTokenInvalid()
  // Before asking whether the session lives: what ended it says more than that it has ended.
  assertMaySignIn(session)
  if (!session.live) throw tokenErrors.refreshTokenInvalid()
  const settings = await authSettings.effective(work)
  if (session.generation !== presented.generation) {
    const successor = await successorWithinGrace(work, session, presented, settings.refresh_reuse_interval_seconds)
    if (successor === null) return refuseReplay(work, session, presented)
    return continueSession(work, session, settings, async () => successor)
  }
  if (!sameHash(session.refresh_hash, presented.hash)) throw tokenErrors.refreshTokenInvalid()
  return continueSession(work, session, settings, () => rotateTo(work, session, settings, presented))
}

/**
 * Hands out the tokens of the successor, unless the session was opened with one factor and its user needs two by now:
 * then a challenge, and the token stays as it was. Null: another request rotated it.
 */
async function continueSession(
  work: Work,
  session: TokenSession,
  settings: AuthSettings,
  successorOf: () => Promise<string | null>,
): Promise<SessionAnswer | null> {
  const demand = session.aal === 'aal1' ? await demandAtRefresh(work, session, settings) : null
  if (demand && demand.kind !== 'nothing') {
    const challenge = await answerChallenge(work, {
      facts: session,
      authMethod: session.auth_method,
      amr: session.amr,
      sessionId: session.session_id,
      demand,
      proof: selectLiveSession(work.db, work.directory, session.session_id),
      alongside: null,
    })
    if (!challenge) throw tokenErrors.refreshTokenInvalid()
    return challenge
  }
  const successor = await successorOf()
  if (successor === null) return null
  const tokens = await handOut(work, {
    facts: session,
    session: subjectOf(session),
    refreshToken: successor,
    settings,
  })
  return { session: tokens, ...mentionGrace(demand) }
}

/** Puts the next token in the place of the one presented. Null: another request did. */
async function rotateTo(
  { platform, directory }: Work,
  session: TokenSession,
  settings: AuthSettings,
  presented: RefreshToken,
): Promise<string | null> {
  const place = { directoryId: directory.id, sessionId: session.session_id, generation: session.generation + 1 }
  const next = makeRefreshToken(platform.keyring, place)
  const sealed = await platform.keyring.seal(successorPlace(directory, session, place.generation), next.token)
  const rotated = await rotate(platform)({
    directory,
    sessionId: session.session_id,
    generation: session.generation,
    presentedHash: presented.hash,
    successor: { hash: next.hash, sealed },
    idleSeconds: settings.session_idle_timeout_seconds,
  })
  return rotated ? next.token : null
}

async function successorWithinGrace(
  { platform, directory }: Work,
  session: TokenSession,
  presented: RefreshToken,
  intervalSeconds: number,
): Promise<string | null> {
  const age = session.rotated_seconds_ago
  if (presented.generation !== session.generation - 1 || age === null || age > intervalSeconds) return null
  if (!sameHash(session.previous_refresh_hash, presented.hash) || session.successor_sealed === null) return null
  return platform.keyring.open(successorPlace(directory, session, session.generation), session.successor_sealed)
}

/** A genuine token that was used before: it or its successor is in the wrong hands, so the session ends. */
async function refuseReplay(work: Work, session: TokenSession, presented: RefreshToken): Promise<never> {
  // Newer than anything stored: the database lost its tail, nobody replayed.
  if (presented.generation > session.generation) throw tokenErrors.refreshTokenInvalid()
  // In a transaction of its own: what it writes stays, though the request is refused.
  await inTx({ ...work, db: work.platform.db }, async (work) => {
    if (!(await revokeSession(work, session.session_id, 'refresh_token_reused'))) return
    await record(work, {
      type: 'session.refresh_reuse_detected',
      target: { type: 'session', id: session.session_id },
      data: { id: session.session_id, directory_user_id: session.user_id },
    })
  })
  throw tokenErrors.refreshTokenReused({
    detail: 'The refresh token had been used before: the session has been ended.',
  })
}

function subjectOf(session: TokenSession) {
  return {
    sessionId: session.session_id,
    userId: session.auth_account_id,
    amr: session.amr,
    aal: session.aal,
    authenticatedAt: session.authenticated_at,
    endsAt: session.expires_at,
  }
}

function successorPlace(directory: Directory, session: TokenSession, generation: number) {
  const row = `${directory.id}/${session.session_id}/${generation}`
  return { table: 'sessions', column: 'successor_sealed', row, accountId: directory.accountId }
}

/** A token that is live right now: its session has not ended and its user may still hold one. */
export interface LiveToken {
  kind: 'access_token' | 'refresh_token'
  directory: Directory
  session: TokenSession
  /** Of an access token. */
  claims: JWTPayload | null
}

/** What tokens are looked up with. */
type InReach = Pick<Work<Reach>, 'platform' | 'directory'>

/** What a token of either kind stands for, or null when it is not live within the caller's reach. */
export async function findLiveToken(work: InReach, token: string): Promise<LiveToken | null> {
  const place = await locate(work, token)
  if (!place) return null
  const session = await readSession(work.platform)(place)
  if (!session?.live || !session.active) return null
  if (session.organization_status !== null && session.organization_status !== 'active') return null
  if (place.refresh && !sameHash(session.refresh_hash, place.refresh.hash)) return null
  const kind = place.refresh ? 'refresh_token' : 'access_token'
  return { kind, directory: place.directory, session, claims: place.claims }
}

interface TokenPlace {
  directory: Directory
  sessionId: string
  claims: JWTPayload | null
  refresh: RefreshToken | null
}

/** Where a token's session lives, from the token itself; null when it is none of ours or out of reach. */
async function locate({ platform, directory: reach }: InReach, token: string): Promise<TokenPlace | null> {
  if (looksLikeRefreshToken(token)) {
    const refresh = parseRefreshToken(platform.keyring, token)
    const directory = refresh && (await directoryInReach(platform, reach, refresh.directoryId))
    return directory ? { directory, sessionId: refresh.sessionId, claims: null, refresh } : null
  }
  const claims = await verifyAccessToken(platform, reach.environmentId, token)
  if (!claims || typeof claims['sid'] !== 'string' || claims.aud !== reach.accountId) return null
  const organizationId = claims['org_id']
  const own =
    typeof organizationId === 'string'
      ? await directoryOfOrganization(platform, reach, organizationId)
      : await accountDirectory(platform, reach)
  const directory = await directoryInReach(platform, reach, own.id)
  return directory ? { directory, sessionId: claims['sid'], claims, refresh: null } : null
}

export interface EndSession {
  refresh_token?: string
  access_token?: string
  session_id?: string
  everywhere?: boolean
}

/** Ends the session that a token or id names, or every session of its user. Nothing to end is a success too. */
export async function endSession(work: Work<Reach>, body: EndSession): Promise<void> {
  const place = await namedSession(work, body)
  const session = place && (await readSession(work.platform)(place))
  if (!session) return
  const { directory, sessionId } = place
  await inTx({ ...work, directory }, async (work) => {
    if (body.everywhere) await revokeUserSessions(work, session.user_id, 'logout')
    else await revokeSession(work, sessionId, 'logout')
  })
}

async function namedSession(work: InReach, body: EndSession) {
  const given = [body.refresh_token, body.access_token, body.session_id].filter((value) => value !== undefined)
  if (given.length !== 1) {
    const message = 'Send exactly one of refresh_token, access_token and session_id'
    const errors = ['refresh_token', 'access_token', 'session_id'].map((field) => ({
      field,
      code: 'exactly_one',
      message,
    }))
    throw httpErrors.invalidRequest({ detail: `${message}.`, errors })
  }
  const token = body.refresh_token ?? body.access_token
  if (token !== undefined) return locate(work, token)
  const { directory } = work.directory
  if (!directory) throw httpErrors.subOrgRequired()
  const sessionId = body.session_id ?? ''
  return isId(sessionId) ? { directory, sessionId } : null
}
