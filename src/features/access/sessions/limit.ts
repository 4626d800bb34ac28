import { defineCondition } from '../../../platform/joined/proofs.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import type { TxWork } from '../../../platform/work.ts'
import { AT_ONCE, revokeSessions, revokeUserSessions } from './cut-off.ts'
import { endReasons } from './end-reasons.ts'
import { findLiveSessionIds, lockSessionsAtMost, setSessionsAtMost } from './store.ts'

/**
 * Holds while the user certainly has fewer sessions than the limit. The user's row has an upper bound: each sign-in adds
 * one, and a count corrects it. Below the limit, sign-ins therefore neither count sessions nor wait.
 */
export const sessionRoom = defineCondition({
  name: 'session-room',
  columns: { session_limit: 'int' },
  holds: () => sqlText`users.sessions_at_most < asked.session_limit`,
})

/** Locks the user, by whose row sign-ins take turns. Returns how many sessions they have at most; null without a user. */
export async function lockSessionLimit({ db, directory }: TxWork, userId: string): Promise<number | null> {
  return lockSessionsAtMost(db, directory, userId)
}

/** Whether a user who is held has as many live sessions as the limit. */
export async function hasSessions({ db, directory }: TxWork, userId: string, limit: number): Promise<boolean> {
  return (await findLiveSessionIds(db, directory, userId, limit)).length >= limit
}

/** Ends the oldest sessions, beyond the limit, of a user who is held and has got a new one. */
export async function endOldestSessions(
  work: TxWork,
  userId: string,
  { limit, newId }: { limit: number; newId: string },
): Promise<void> {
  const { db, directory } = work
  // By the clock it need not be the newest: its transaction may have waited for others.
  const others = (await findLiveSessionIds(db, directory, userId, limit + AT_ONCE)).filter((id) => id !== newId)
  const kept = [newId, ...others.slice(0, limit - 1)]
  const beyond = others.slice(limit - 1)
  if (beyond.length < AT_ONCE) await revokeSessions(work, beyond, endReasons.session_limit)
  else await revokeUserSessions(work, userId, endReasons.session_limit, kept)
  await setSessionsAtMost(db, directory, userId, kept.length)
}
