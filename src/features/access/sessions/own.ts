import { verifyAccessToken } from '../../../platform/crypto/signing-keys.ts'
import { httpErrors } from '../../../platform/errors.ts'
import type { Found, Page } from '../../../platform/http/pagination.ts'
import { isId } from '../../../platform/ids.ts'
import { reachOf } from '../../../platform/tenancy/directory.ts'
import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import { revokeSession, revokeUserSessions } from './cut-off.ts'
import { endReasons } from './end-reasons.ts'
import { sessionErrors } from './errors.ts'
import {
  type ListedSession,
  listSessionRows,
  lockLiveSession,
  type SessionRow,
  sessionExists,
  setAuthenticated,
} from './store.ts'

/** A page of the caller's own live sessions. */
export function listOwnSessions(work: OwnWork, page: Page): Promise<Found<ListedSession>> {
  const { db, directory, caller } = work
  return listSessionRows(db, reachOf(directory), { userId: caller.directoryUserId }, page)
}

/** Ends one session of the caller, which may be the present one. Idempotent. Throws `session_not_found`. */
export async function endOwnSession(work: OwnWork, sessionId: string): Promise<void> {
  const { db, directory, caller } = work
  const id = sessionId.toLowerCase()
  if (!isId(id) || !(await sessionExists(db, directory, id, caller.directoryUserId))) throw sessionErrors.notFound()
  await revokeSession(work, id, endReasons.revoked)
}

/** Ends every session of the caller but the present one. Returns how many, counted up to 10 000. */
export function endOtherSessions(work: OwnWork): Promise<number> {
  const { directoryUserId, sessionId } = work.caller
  return revokeUserSessions(work, directoryUserId, endReasons.revoked, [sessionId])
}

/**
 * The caller's session, locked until the transaction ends, whose user is held: what has ended it since the request began was
 * there first. Throws `access_token_invalid`.
 */
export async function lockOwnSessionRow(work: OwnWork & TxWork): Promise<void> {
  const { sessionId: id, directoryUserId: userId } = work.caller
  if (!(await lockLiveSession(work.db, work.directory, { id, userId }))) throw httpErrors.accessTokenInvalid()
}

/**
 * Notes in a session that its user, whose row is held, has proved again who they are. It takes nothing away: what was shown
 * before stays shown. Returns the session as it is then; null when it has ended.
 */
export async function renewAuthentication(
  { db, directory }: TxWork,
  session: { id: string; userId: string },
  { amr, aal }: { amr: readonly string[]; aal: string },
): Promise<SessionRow | null> {
  const present = await lockLiveSession(db, directory, session)
  if (!present) return null
  return setAuthenticated(db, directory, {
    id: present.id,
    amr: [...new Set([...present.amr, ...amr])],
    aal: present.aal === 'aal2' ? 'aal2' : aal,
  })
}

/**
 * The id of the session of an access token that a backend sends along; null without one that is valid. Throws
 * `impersonation_read_only` for an impersonation session, which is read-only also through a backend.
 */
export async function sessionIdOf({ platform, directory }: Work, token: string | null): Promise<string | null> {
  const claims = token === null ? null : await verifyAccessToken(platform, directory.environmentId, token)
  if (claims?.['act'] !== undefined) throw httpErrors.impersonationReadOnly()
  const id = claims?.['sid']
  return typeof id === 'string' && isId(id) ? id : null
}
