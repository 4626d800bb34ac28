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

/** So many rows are marked by the act that ends sessions; a job marks the others. */
export const AT_ONCE = 200
/** So many sessions are counted at most for an answer. */
const COUNTED = 10_000
/** The job that marks the others. */
export const MARK_JOB = 'sessions.mark'

/** Ends one session. Returns false when it does not exist or has already ended. */
export async function revokeSession(work: Work, sessionId: string, reason: EndReason): Promise<boolean> {
  return inTx(work, async (work) => (await revokeSessions(work, [sessionId], reason)) > 0)
}

/** Ends these sessions. Returns how many had not ended. */
export async function revokeSessions(work: TxWork, ids: string[], reason: EndReason): Promise<number> {
  return recordRevocations(work, await endSessionRows(work.db, work.directory, ids, reason), reason)
}

/**
 * Ends every session of a directory user but those to `keep`, in the transaction of its cause, however many there are:
 * with the user's next epoch. A sign-in under way does not pass. Returns how many, counted up to 10 000.
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

/** A sign-in of the user that is under way passes no more, challenges among them; sessions stay, and codes and links. */
export async function stopSignIns(work: TxWork, userId: string): Promise<void> {
  await raiseSignInEpoch(work.db, work.directory, userId)
}

/** Ends every session of an organization, in all environments, of an epoch before this one, which has just begun. */
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

/** Marks what has ended by the bound, or leaves it to the job. Returns how many. */
async function markSessions(work: TxWork, cutOff: ReasonedCutOff): Promise<number> {
  const rows = await markSessionRows(work.db, work.directory, cutOff, AT_ONCE).execute()
  const marked = await recordRevocations(work, rows, cutOff.reason)
  return marked + (await leaveToJob(work, cutOff, marked))
}

/**
 * Lets the job do the rest, where `AT_ONCE` have been marked: there may be more. A sign-in that is under way may bring
 * another session of the organization's earlier epoch, so its job looks again. Returns how many there are of a user.
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

/** The event of a session that has ended. */
export function revocationOf({ id, auth_account_id, user_id }: RevokedRow, reason: EndReason): EventInput {
  return sessionEvents.revoked({
    target: { type: 'session', id },
    data: { id, user_id: auth_account_id, directory_user_id: user_id, reason },
  })
}
