import type { EndReason } from '../../platform/end-reasons.ts'
import { type EventInput, record } from '../../platform/events.ts'
import { type AccountScope, directoriesOfOrganization } from '../../platform/http/directory.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { endReasons } from './end-reasons.ts'
import { sessionEvents } from './events.ts'
import { findLiveSessionIds, lockUserSessions, type RevokedRow, revokeSessionRows } from './store.ts'

export { sessionEvents } from './events.ts'
export { sessionSettings } from './settings.ts'
export { isLiveSession, liveSessionText } from './store.ts'
export { exampleTokens, issueTokens, SessionTokens } from './tokens.ts'

/** Ends every session of a directory user, in the transaction of its cause. Returns how many. */
export async function revokeUserSessions(work: Work, userId: string, reason: EndReason): Promise<number> {
  return inTx(work, async (work) => {
    const rows = await revokeSessionRows(work.db, work.directory, { userId }, reason).execute()
    return recordRevocations(work, rows, reason)
  })
}

/** The same for all but one, in which the user is asking for it. */
export async function revokeOtherSessions(
  work: TxWork,
  { userId, exceptId }: { userId: string; exceptId: string },
  reason: EndReason,
): Promise<void> {
  const others = revokeSessionRows(work.db, work.directory, { userId }, reason).where('id', '!=', exceptId)
  await recordRevocations(work, await others.execute(), reason)
}

/** Ends one session. Returns false when it does not exist or has already ended. */
export async function revokeSession(work: Work, sessionId: string, reason: EndReason): Promise<boolean> {
  return inTx(work, async (work) => {
    const rows = await revokeSessionRows(work.db, work.directory, { sessionId }, reason).execute()
    return (await recordRevocations(work, rows, reason)) > 0
  })
}

/** Ends every session of an organization, in all environments. Returns how many. */
export async function revokeOrganizationSessions(
  work: TxWork<AccountScope>,
  organizationId: string,
  reason: EndReason,
): Promise<number> {
  let revoked = 0
  for (const directory of await directoriesOfOrganization(work.db, organizationId)) {
    const rows = await revokeSessionRows(work.db, directory, 'all', reason).execute()
    revoked += await recordRevocations({ ...work, directory }, rows, reason)
  }
  return revoked
}

async function recordRevocations(work: TxWork, rows: RevokedRow[], reason: EndReason): Promise<number> {
  await record(work, ...rows.map((row) => revocationOf(row, reason)))
  return rows.length
}

/** The event of a session that has ended. */
export function revocationOf({ id, auth_account_id, user_id }: RevokedRow, reason: EndReason): EventInput {
  return sessionEvents.revoked({
    target: { type: 'session', id },
    data: { id, user_id: auth_account_id, directory_user_id: user_id, reason },
  })
}

/**
 * Serializes a user's sign-ins until the end of the transaction, so that a race cannot exceed a limit on sessions.
 * @returns how many are live.
 */
export async function countLiveSessions(work: TxWork, userId: string): Promise<number> {
  const { db, directory } = work
  await lockUserSessions(db, directory, userId)
  return (await findLiveSessionIds(db, directory, userId)).length
}

/** Ends the oldest sessions of a user beyond the newest `keep`. After `countLiveSessions` in the same transaction. */
export async function endOldestSessions(work: TxWork, userId: string, keep: number): Promise<void> {
  const live = await findLiveSessionIds(work.db, work.directory, userId)
  for (const id of live.slice(0, Math.max(0, live.length - keep)))
    await revokeSession(work, id, endReasons.session_limit)
}
