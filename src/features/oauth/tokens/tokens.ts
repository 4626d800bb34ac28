import { isDeepStrictEqual } from 'node:util'
import {
  looksLikeRefreshToken,
  makeRefreshToken,
  parseRefreshToken,
  type RefreshToken,
} from '../../../platform/crypto/refresh-token.ts'
import { type AccessClaims, verifyAccessToken } from '../../../platform/crypto/signing-keys.ts'
import { sameHash } from '../../../platform/crypto/tokens.ts'
import { httpErrors, invalidField } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/events.ts'
import { asProvenUser } from '../../../platform/events/origin.ts'
import { isId } from '../../../platform/ids.ts'
import { runAlone, runTogether } from '../../../platform/joined/joined.ts'
import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { ValuesOf } from '../../../platform/settings/settings.ts'
import { authorize } from '../../../platform/tenancy/authorize.ts'
import type { ManagerCaller } from '../../../platform/tenancy/caller.ts'
import {
  accountDirectory,
  type Directory,
  type EnvironmentRef,
  findDirectoryOfOrganization,
  findNamedDirectory,
  isInReach,
} from '../../../platform/tenancy/directory.ts'
import { directoryInReach } from '../../../platform/tenancy/services.ts'
import { inTx, type ReachWork, type Work } from '../../../platform/work.ts'
import { audienceOf, issueTokens } from '../../access/claims/claims.ts'
import { copyFederatedSession } from '../../access/federated-sessions/federated-sessions.ts'
import { askGates, assertMaySignIn, type SessionReply } from '../../access/login/login.ts'
import {
  IMPERSONATION,
  revokeSession,
  revokeUserSessions,
  type SessionName,
  sessionEvents,
} from '../../access/sessions/sessions.ts'
import { tokenErrors } from './errors.ts'
import { refreshSettings } from './settings.ts'
import {
  type LiveSession,
  liveSession,
  rotation,
  type SessionPlace,
  sessionProof,
  type TokenSession,
  tokenSession,
} from './store.ts'

type Settings = ValuesOf<typeof refreshSettings>

const reasons = defineEndReasons('logout', 'refresh_token_reused')

function readSession(platform: Platform, { directory, sessionId }: SessionPlace): Promise<TokenSession | null> {
  const row = { id: sessionId, organization_id: directory.organizationId }
  return runTogether(platform, { statement: tokenSession, directoryId: directory.id, row })
}

/**
 * Returns the successor of a refresh token, or a challenge if a second factor is now required. If the same token is
 * presented again within the reuse interval, returns the same successor. After the interval, or for an older token,
 * ends the session (RFC 9700 §4.14.2). Throws `refresh_token_invalid`, `refresh_token_reused`, and what `askGates`
 * throws.
 */
export async function refreshSession(work: Work, token: string): Promise<SessionReply> {
  const presented = parseRefreshToken(work.platform.keyring, token)
  if (!presented || presented.directoryId !== work.directory.id) throw tokenErrors.refreshTokenInvalid()
  // Retried only if another request rotated the token in between. Once is enough, since the generation only grows.
  return (await tryRefresh(work, presented)) ?? (await retryRefresh(work, presented))
}

/**
 * The directory of a refresh token's organization, if it belongs to the caller's environment. Throws
 * `refresh_token_invalid`.
 */
export async function organizationOfRefreshToken(
  platform: Platform,
  environment: EnvironmentRef,
  token: string,
): Promise<Directory> {
  const presented = parseRefreshToken(platform.keyring, token)
  const found = presented && (await findNamedDirectory(platform, environment, presented.directoryId))
  if (!found) throw tokenErrors.refreshTokenInvalid()
  return found
}

async function retryRefresh(work: Work, presented: RefreshToken): Promise<SessionReply> {
  const tokens = await tryRefresh(work, presented)
  if (!tokens) throw tokenErrors.refreshTokenInvalid()
  return tokens
}

async function tryRefresh(work: Work, presented: RefreshToken): Promise<SessionReply | null> {
  const { platform, directory } = work
  const session = await readSession(platform, { directory, sessionId: presented.sessionId })
  if (!session) throw tokenErrors.refreshTokenInvalid()
  // Must come before the check that the session is live, since this error tells the caller why the session has ended.
  await assertMaySignIn(work, session)
  if (!session.live) throw tokenErrors.refreshTokenInvalid()
  const settings = await refreshSettings.effective(work)
  if (session.generation !== presented.generation) {
    const successor = await successorWithinGrace(work, session, presented, settings.refresh_reuse_interval_seconds)
    if (successor === null) return refuseReplay(work, session, presented)
    // The successor is already this old, so its remaining lifetime is shorter.
    const waited = Math.ceil(session.rotated_seconds_ago ?? 0)
    const left = { ...settings, session_idle_timeout_seconds: settings.session_idle_timeout_seconds - waited }
    return continueSession(work, session, left, async () => successor)
  }
  if (!sameHash(session.refresh_hash, presented.hash)) throw tokenErrors.refreshTokenInvalid()
  return continueSession(work, session, settings, () => rotateTo(work, session, settings, presented))
}

/**
 * Issues the next tokens, or a challenge that leaves the refresh token valid if the session has one factor and its
 * user now needs two. Returns null if another request rotated the token.
 */
async function continueSession(
  work: Work,
  session: TokenSession,
  settings: Settings,
  successorOf: () => Promise<string | null>,
): Promise<SessionReply | null> {
  const { session_id: id, auth_method: method, amr, aal, trusted_device_id: trustedDeviceId } = session
  const entry = { facts: session, method, amr, aal, session: { id, trustedDeviceId } }
  const passage = await askGates(work, entry, {
    spends: [sessionProof({ session_id: id, session_organization: work.directory.organizationId })],
    beside: await copyFederatedSession(work, { id, method }),
  })
  if (passage.kind === 'held') {
    if (!passage.answer) throw tokenErrors.refreshTokenInvalid()
    return passage.answer
  }
  const successor = await successorOf()
  if (successor === null) return null
  const tokens = await issueTokens(work, {
    facts: session,
    session: subjectOf(session),
    refreshToken: successor,
    settings,
  })
  return { session: tokens, ...passage.reply }
}

/** Replaces the presented token by the next one. Returns null if another request did so first. */
async function rotateTo(
  { platform, directory }: Work,
  session: TokenSession,
  settings: Settings,
  presented: RefreshToken,
): Promise<string | null> {
  const place = { directoryId: directory.id, sessionId: session.session_id, generation: session.generation + 1 }
  const next = makeRefreshToken(platform.keyring, place)
  const sealed = await platform.keyring.seal(successorPlace(directory, session, place.generation), next.token)
  const item = {
    statement: rotation,
    directoryId: directory.id,
    key: session.session_id,
    row: {
      session_id: session.session_id,
      organization_id: directory.organizationId,
      generation: session.generation,
      presented_hash: presented.hash,
      next_hash: next.hash,
      next_sealed: sealed,
      idle_seconds: settings.session_idle_timeout_seconds,
    },
  }
  // The shared statement skips rows that another transaction has locked; run alone, it waits for them.
  const rotated = (await runTogether(platform, item)) ?? (await runAlone(platform.db, item))
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

/** Refuses a genuine token that was already used. The token or its successor may be stolen, so the session ends. */
async function refuseReplay(work: Work, session: TokenSession, presented: RefreshToken): Promise<never> {
  // The token is newer than the stored one: the database has lost recent commits, so this is not a replay.
  if (presented.generation > session.generation) throw tokenErrors.refreshTokenInvalid()
  // Ended in a separate transaction, which commits although the request is refused.
  await inTx({ ...work, db: work.platform.db }, async (work) => {
    if (!(await revokeSession(work, session.session_id, reasons.refresh_token_reused))) return
    await record(
      work,
      sessionEvents.refreshReuseDetected({
        target: { type: 'session', id: session.session_id },
        data: { id: session.session_id, directory_user_id: session.user_id },
      }),
    )
  })
  throw tokenErrors.refreshTokenReused({
    detail: 'The refresh token was already used, so the session was ended.',
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
    connectionId: session.connection_id,
  }
}

function successorPlace(directory: Directory, session: TokenSession, generation: number) {
  const row = `${directory.id}/${session.session_id}/${generation}`
  return { table: 'sessions', column: 'successor_sealed', row, accountId: directory.accountId }
}

/** A live token: its session has not ended, and its user may still have one. */
export interface LiveToken {
  kind: 'access_token' | 'refresh_token'
  directory: Directory
  sessionId: string
  session: LiveSession
  /** The claims of an access token; null for a refresh token. */
  claims: AccessClaims | null
}

/** What looking up a token needs from `work`. */
type InReach = Pick<ReachWork, 'platform' | 'reach'>

/** The session of an access or refresh token, or null if it is not live or the caller does not reach it. */
export async function findLiveToken(work: InReach, token: string): Promise<LiveToken | null> {
  const place = await locate(work, token)
  if (!place) return null
  const { directory, sessionId, refresh, claims } = place
  const row = { id: sessionId, organization_id: directory.organizationId, refresh_hash: refresh?.hash ?? null }
  const session = await runTogether(work.platform, { statement: liveSession, directoryId: directory.id, row })
  if (!session) return null
  return { kind: refresh ? 'refresh_token' : 'access_token', directory, sessionId, session, claims }
}

interface NamedPlace extends SessionPlace {
  /** The claims of an access token; null for a refresh token. */
  claims: AccessClaims | null
  refresh: RefreshToken | null
}

/**
 * Reads the directory and the session from a token. Returns null if Watchword did not issue the token or the caller
 * does not reach it.
 */
async function locate({ platform, reach }: InReach, token: string): Promise<NamedPlace | null> {
  if (looksLikeRefreshToken(token)) {
    const refresh = parseRefreshToken(platform.keyring, token)
    const directory = refresh && (await directoryInReach(platform, reach, refresh.directoryId))
    return directory && { directory, sessionId: refresh.sessionId, claims: null, refresh }
  }
  const claims = await verifyAccessToken(platform, reach.environmentId, token)
  const sessionId = claims?.['sid']
  if (!claims || typeof sessionId !== 'string' || !isId(sessionId)) return null
  const directory = await directoryOfClaims({ platform, reach }, claims)
  if (!directory || !isInReach(reach, directory)) return null
  if (!(await isFor({ platform, directory }, claims.aud))) return null
  return { directory, sessionId, claims, refresh: null }
}

async function directoryOfClaims({ platform, reach }: InReach, claims: AccessClaims): Promise<Directory | null> {
  const organizationId = claims['org_id']
  // Most tokens belong to the organization that the request names.
  if (typeof organizationId === 'string' && organizationId === reach.directory?.organizationId) return reach.directory
  if (typeof organizationId === 'string') return findDirectoryOfOrganization(platform, reach, organizationId)
  return reach.directory?.kind === 'console' ? reach.directory : accountDirectory(platform, reach)
}

/** Whether tokens of a directory have this audience, or had it before the directory's own audience was set. */
async function isFor(work: Pick<Work, 'platform' | 'directory'>, audience: AccessClaims['aud']): Promise<boolean> {
  const { kind, accountId } = work.directory
  if (kind !== 'console' && audience === accountId) return true
  return isDeepStrictEqual(audience, await audienceOf(work))
}

type NamingWork = ReachWork & { caller: ManagerCaller }

/**
 * Ends the session that a token or id names, or with `everywhere` every session of its user. Idempotent. Throws
 * `insufficient_scope`.
 */
export async function endSession(work: NamingWork, body: SessionName & { everywhere?: boolean }): Promise<void> {
  const place = await namedSession(work, body)
  if (place) await endSessionAt(work, place, body)
}

/**
 * Ends the session that a token or id names, after calling `check` with the session's directory. Returns the session,
 * or null if there was none or the caller may not learn who signed in. `insufficient_scope`, and whatever `check`
 * throws, are thrown before anything has ended.
 */
export async function endNamedSession(
  work: NamingWork,
  named: SessionName,
  check: (work: Work) => Promise<void>,
): Promise<{ work: Work; sessionId: string } | null> {
  const place = await namedSession(work, named)
  const { directory } = place ?? work.reach
  if (directory) await check({ ...work, directory })
  if (!place) return null
  const session = await endSessionAt(work, place, {})
  const { sessionId, refresh } = place
  const there = { ...work, directory: place.directory }
  if (refresh && !(session && (await isRecent(there, session, refresh)))) return null
  return { work: there, sessionId }
}

/** Whether a refresh token may still be in use. The holder of an older token must not learn who signed in. */
async function isRecent(work: Work, session: TokenSession, presented: RefreshToken): Promise<boolean> {
  if (sameHash(session.refresh_hash, presented.hash)) return true
  const { refresh_reuse_interval_seconds: interval } = await refreshSettings.effective(work)
  const age = session.rotated_seconds_ago
  return age !== null && age <= interval && sameHash(session.previous_refresh_hash, presented.hash)
}

async function endSessionAt(
  work: ReachWork,
  place: NamedPlace,
  body: { everywhere?: boolean },
): Promise<TokenSession | null> {
  const session = await readSession(work.platform, place)
  if (!session) return null
  const { directory, sessionId } = place
  const there = { ...work, directory }
  const by = (await provesUser(there, session, place)) ? asProvenUser(there, session.user_id) : there
  await inTx(by, async (work) => {
    // An impersonation session ends alone, also with `everywhere`: the impersonator must not sign the user out.
    if (body.everywhere && session.auth_method !== IMPERSONATION)
      await revokeUserSessions(work, session.user_id, reasons.logout)
    else await revokeSession(work, sessionId, reasons.logout)
  })
  return session
}

/**
 * Whether the user of the session made this request, which a token of the session proves. A session id does not prove
 * it, and neither does an old refresh token, which may be stolen, or an impersonation token.
 */
async function provesUser(work: Work, session: TokenSession, { claims, refresh }: NamedPlace): Promise<boolean> {
  if (!session.live || session.auth_method === IMPERSONATION) return false
  return refresh ? isRecent(work, session, refresh) : claims !== null
}

async function namedSession(work: NamingWork, body: SessionName): Promise<NamedPlace | null> {
  // Only an id requires the scope, since a token proves the session.
  if (body.session_id !== undefined) authorize(work.caller, 'sessions.revoke')
  const given = [body.refresh_token, body.access_token, body.session_id].filter((value) => value !== undefined)
  if (given.length !== 1) {
    const fields = ['refresh_token', 'access_token', 'session_id']
    throw invalidField(fields, 'exactly_one', 'Send exactly one of refresh_token, access_token and session_id')
  }
  const token = body.refresh_token ?? body.access_token
  if (token !== undefined) return locate(work, token)
  const { directory } = work.reach
  if (!directory) throw httpErrors.subOrgRequired()
  const sessionId = body.session_id ?? ''
  return isId(sessionId) ? { directory, sessionId, claims: null, refresh: null } : null
}
