import { defineCondition } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { TxWork } from '../../../platform/work.ts'
import { AT_ONCE, revokeSessions, revokeUserSessions } from './cut-off.ts'
import { endReasons } from './end-reasons.ts'
import { findLiveSessionIds, lockSessionsAtMost, setSessionsAtMost } from './store.ts'

/**
 * Holds while the user certainly has fewer sessions than the limit. The user's row has an upper bound: each sign-in
 * adds one to it, and counting the sessions corrects it. While the bound is below the limit, sign-ins neither count
 * sessions nor wait for each other.
 */
export const sessionRoom = defineCondition({
  name: 'session-room',
  columns: { session_limit: 'int' },
  holds: () => sqlText`users.sessions_at_most < asked.session_limit`,
})

/**
 * Locks the user's row, so that sign-ins of the user run one after the other. Returns the upper bound of the user's
 * sessions; null if there is no such user.
 */
export async function lockSessionLimit({ db, directory }: TxWork, userId: string): Promise<number | null> {
  return lockSessionsAtMost(db, directory, userId)
}

/** Whether a user whose row is locked has at least as many live sessions as the limit. */
export async function hasSessions({ db, directory }: TxWork, userId: string, limit: number): Promise<boolean> {
  return (await findLiveSessionIds(db, directory, userId, limit)).length >= limit
}

/** Ends the oldest sessions beyond the limit. The user's row is locked, and the user has just got a new session. */
export async function endOldestSessions(
  work: TxWork,
  userId: string,
  { limit, newId }: { limit: number; newId: string },
): Promise<void> {
  const { db, directory } = work
  // The new session may not have the latest time, since its transaction may have waited for others.
  const others = (await findLiveSessionIds(db, directory, userId, limit + AT_ONCE)).filter((id) => id !== newId)
  const kept = [newId, ...others.slice(0, limit - 1)]
  const beyond = others.slice(limit - 1)
  if (beyond.length < AT_ONCE) await revokeSessions(work, beyond, endReasons.session_limit)
  else await revokeUserSessions(work, userId, endReasons.session_limit, kept)
  await setSessionsAtMost(db, directory, userId, kept.length)
}
