import type { Db, Tx } from '../../platform/db/pool.ts'
import { type Origin, record } from '../../platform/events.ts'
import { type Directory, directoriesOfOrganization } from '../../platform/http/directory.ts'
import { findLiveSessionIds, lockUserSessions, type RevokedRow, revokeSessionRows } from './store.ts'

/** Why a session ended; shown in the revocation feed. */
export type RevocationReason =
  | 'revoked'
  | 'logout'
  | 'user_deactivated'
  | 'user_deleted'
  | 'user_moved'
  | 'email_changed'
  | 'mailbox_proved'
  | 'password_changed'
  | 'session_limit'
  | 'organization_suspended'
  | 'organization_archived'
  | 'refresh_token_reused'
  | 'mfa_removed'
  | 'stepped_up'

/** Ends every session of a directory user, in the transaction of what caused it. Returns how many. */
export async function revokeUserSessions(
  tx: Tx,
  directory: Directory,
  origin: Origin,
  userId: string,
  reason: RevocationReason,
): Promise<number> {
  return recordRevocations(tx, directory, origin, await revokeSessionRows(tx, directory, { userId }, reason), reason)
}

/** Ends one session. False when it is not there or has ended before. */
export async function revokeSession(
  db: Db,
  directory: Directory,
  origin: Origin,
  sessionId: string,
  reason: RevocationReason,
): Promise<boolean> {
  const rows = await revokeSessionRows(db, directory, { sessionId }, reason)
  return (await recordRevocations(db, directory, origin, rows, reason)) > 0
}

/** Ends every session of an organization, in all environments. Returns how many. */
export async function revokeOrganizationSessions(
  tx: Tx,
  organizationId: string,
  origin: Origin,
  reason: RevocationReason,
): Promise<number> {
  let revoked = 0
  for (const directory of await directoriesOfOrganization(tx, organizationId)) {
    const rows = await revokeSessionRows(tx, directory, 'all', reason)
    revoked += await recordRevocations(tx, directory, origin, rows, reason)
  }
  return revoked
}

async function recordRevocations(
  db: Db,
  directory: Directory,
  origin: Origin,
  rows: RevokedRow[],
  reason: RevocationReason,
): Promise<number> {
  const events = rows.map((row) => ({
    type: 'session.revoked',
    target: { type: 'session', id: row.id },
    data: { id: row.id, directory_user_id: row.user_id, reason },
  }))
  await record(db, directory, origin, ...events)
  return rows.length
}

/**
 * Lets a user's sign-ins pass one after the other to the end of the transaction, so that a race cannot exceed a limit
 * on sessions. Returns how many are live.
 */
export async function countLiveSessions(tx: Tx, directory: Directory, userId: string): Promise<number> {
  await lockUserSessions(tx, directory, userId)
  return (await findLiveSessionIds(tx, directory, userId)).length
}

/** Ends the oldest sessions of a user beyond the newest `keep`. After `countLiveSessions` in the same transaction. */
export async function endOldestSessions(tx: Tx, directory: Directory, origin: Origin, userId: string, keep: number) {
  const live = await findLiveSessionIds(tx, directory, userId)
  for (const id of live.slice(0, Math.max(0, live.length - keep)))
    await revokeSession(tx, directory, origin, id, 'session_limit')
}
