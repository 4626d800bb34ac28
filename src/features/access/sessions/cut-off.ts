import { type EventInput, record } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { enqueue } from '../../../platform/jobs/queue.ts'
import type { EndReason } from '../../../platform/lifecycle/end-reasons.ts'
import { directoriesOfOrganization } from '../../../platform/tenancy/directory.ts'
import { type AccountTxWork, inTx, type TxWork, type Work } from '../../../platform/work.ts'
import {
  type CutOff,
  countUnmarkedRows,
  insertCutOff,
  keepSessionRows,
  markSessionRows,
  raiseSignInEpoch,
  raiseUserEpoch,
} from './cut-off-store.ts'
import { sessionEvents } from './events.ts'
import { endSessionRows, type RevokedRow } from './store.ts'

/** How many rows the request that ends sessions marks as ended; a job marks the others. */
export const AT_ONCE = 200
/** Up to how many ended sessions a response counts. */
const COUNTED = 10_000
/** The job that marks the remaining rows. */
export const MARK_JOB = 'sessions.mark'

/** Ends one session. Returns false if it does not exist or has already ended. */
export async function revokeSession(work: Work, sessionId: string, reason: EndReason): Promise<boolean> {
  return inTx(work, async (work) => (await revokeSessions(work, [sessionId], reason)) > 0)
}

/** Ends these sessions. Returns how many of them had not already ended. */
export async function revokeSessions(work: TxWork, ids: string[], reason: EndReason): Promise<number> {
  return recordRevocations(work, await endSessionRows(work.db, work.directory, ids, reason), reason)
}

/**
 * Ends every session of a user, except those in `keep`, in the caller's transaction. Raising the user's epoch ends all
 * of them, however many there are. A sign-in in progress fails. Returns how many sessions ended, counted up to 10 000.
 */
export async function revokeUserSessions(
  work: Work,
  userId: string,
  reason: EndReason,
  keep: string[] = [],
): Promise<number> {
  return inTx(work, async (work) => {
    const { db, directory } = work
    const epoch = await raiseUserEpoch(db, directory, userId, keep.length)
    if (epoch === null) return 0
    if (keep.length) await keepSessionRows(db, directory, { userId, ids: keep }, epoch)
    return markSessions(work, { userId, epoch, reason })
  })
}

/** Makes sign-ins of the user that are in progress fail, including their challenges. Sessions, codes and links stay. */
export async function stopSignIns(work: TxWork, userId: string): Promise<void> {
  await raiseSignInEpoch(work.db, work.directory, userId)
}

/**
 * Ends every session of an organization, in all environments, that began before the given epoch. The epoch has just
 * been raised.
 */
export async function revokeOrganizationSessions(
  work: AccountTxWork,
  organization: { id: string; epoch: number },
  reason: EndReason,
): Promise<void> {
  const cutOff = { userId: null, epoch: organization.epoch, reason }
  for (const directory of await directoriesOfOrganization(work.db, organization.id))
    await markSessions({ ...work, directory }, cutOff)
}

type ReasonedCutOff = CutOff & { reason: EndReason }

/** Marks the ended sessions, or leaves them to the job. Returns how many there are. */
async function markSessions(work: TxWork, cutOff: ReasonedCutOff): Promise<number> {
  const rows = await markSessionRows(work.db, work.directory, cutOff, AT_ONCE).execute()
  const marked = await recordRevocations(work, rows, cutOff.reason)
  return marked + (await leaveToJob(work, cutOff, marked))
}

/**
 * If `AT_ONCE` sessions were marked, there may be more, which the job marks. For an organization, a sign-in in
 * progress may still create a session in the earlier epoch, so the job looks again later. Returns how many sessions
 * of a user are left, and 0 for an organization.
 */
export async function leaveToJob(work: TxWork, cutOff: CutOff, marked: number): Promise<number> {
  const { db, directory } = work
  if (cutOff.userId !== null && marked < AT_ONCE) return 0
  const id = newId()
  await insertCutOff(db, work, { id, ...cutOff })
  if (marked < AT_ONCE) return 0
  await enqueue(db, MARK_JOB, { directory: directory.id, cutOff: id })
  return cutOff.userId === null ? 0 : countUnmarkedRows(db, directory, cutOff, COUNTED - marked)
}

async function recordRevocations(work: TxWork, rows: RevokedRow[], reason: EndReason): Promise<number> {
  await record(work, ...rows.map((row) => revocationOf(row, reason)))
  return rows.length
}

/** The event of an ended session. */
export function revocationOf({ id, auth_account_id, user_id }: RevokedRow, reason: EndReason): EventInput {
  return sessionEvents.revoked({
    target: { type: 'session', id },
    data: { id, user_id: auth_account_id, directory_user_id: user_id, reason },
  })
}
