import type { UserChange, UserMove } from '../../../platform/lifecycle/belongings.ts'
import { type Done, planChange, runPlan } from '../../../platform/lifecycle/belongings-plan.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import type { TxWork } from '../../../platform/work.ts'
import { changeRow, type HeldUser, type NewUserRow, putRow, takeRow, type UserChanges } from './store.ts'

/**
 * Applies a proof, cut-off or removal to all rows that belong to a user, and `changes` to the user's row, in one
 * statement. It raises the epoch, so requests that read the user before fail.
 */
export async function applyToBelongings(
  work: TxWork,
  occasion: 'proof' | 'cutOff' | 'removal',
  change: UserChange & { user: HeldUser },
  changes: UserChanges = {},
): Promise<Done<HeldUser>> {
  const { db, directory } = work
  const plan = planChange(work, change, (belonging) => belonging[occasion])
  const owner = changeRow(db, directory, change.user.id, changes).set(plan.columns)
  return finish(work, await runPlan(work, plan, { owner }))
}

/**
 * Moves a user, with the rows that move along, to another directory in one statement. It deletes the rows that do
 * not.
 */
export async function moveWithBelongings(
  work: TxWork,
  move: UserMove & { user: HeldUser },
  changes: Partial<NewUserRow>,
): Promise<Done<HeldUser>> {
  const { db, directory } = work
  const plan = planChange(work, move, (belonging) => belonging.move)
  const owner = putRow(move.to, move.user, { ...plan.columns, ...changes })
  return finish(work, await runPlan(work, plan, { owner, left: takeRow(db, directory, move.user.id) }))
}

async function finish(work: TxWork, done: Done<Omit<HeldUser, 'held'>>): Promise<Done<HeldUser>> {
  for (const mail of done.mails) await queueMail(work, mail, NOTICE_USEFUL_SECONDS)
  return { ...done, user: { ...done.user, held: true } }
}
