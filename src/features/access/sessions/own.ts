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

/** Ends one session of the caller, possibly the current one. Idempotent. Throws `session_not_found`. */
export async function endOwnSession(work: OwnWork, sessionId: string): Promise<void> {
  const { db, directory, caller } = work
  const id = sessionId.toLowerCase()
  if (!isId(id) || !(await sessionExists(db, directory, id, caller.directoryUserId))) throw sessionErrors.notFound()
  await revokeSession(work, id, endReasons.revoked)
}

/** Ends every session of the caller except the current one. Returns how many ended, counted up to 10 000. */
export function endOtherSessions(work: OwnWork): Promise<number> {
  const { directoryUserId, sessionId } = work.caller
  return revokeUserSessions(work, directoryUserId, endReasons.revoked, [sessionId])
}

/**
 * Locks the caller's session until the transaction ends. The user's row must be locked already, so anything that has
 * ended the session since the request began is visible now. Throws `access_token_invalid`.
 */
export async function lockOwnSessionRow(work: OwnWork & TxWork): Promise<void> {
  const { sessionId: id, directoryUserId: userId } = work.caller
  if (!(await lockLiveSession(work.db, work.directory, { id, userId }))) throw httpErrors.accessTokenInvalid()
}

/**
 * Records that the session's user has authenticated again. The user's row is locked. Methods and level that the
 * session already had stay. Returns the updated session; null if it has ended.
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
 * The session id in an access token that a backend passes on; null if there is no valid token. Throws
 * `impersonation_read_only` for an impersonation session, which is read-only through a backend, too.
 */
export async function sessionIdOf({ platform, directory }: Work, token: string | null): Promise<string | null> {
  const claims = token === null ? null : await verifyAccessToken(platform, directory.environmentId, token)
  if (claims?.['act'] !== undefined) throw httpErrors.impersonationReadOnly()
  const id = claims?.['sid']
  return typeof id === 'string' && isId(id) ? id : null
}
