import type { UserChange, UserMove } from '../../platform/belongings.ts'
import { type Done, planChange, runPlan } from '../../platform/belongings-plan.ts'
import type { TxWork } from '../../platform/work.ts'
import { changeRow, type HeldUser, type NewUserRow, putRow, takeRow, type UserChanges } from './store.ts'

/**
 * Applies an occasion to everything that hangs on a user, together with `changes` of their row, in one statement. A
 * request that read the user before meets the raised epoch.
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
  const done = await runPlan(db, plan, { owner })
  return { ...done, user: { ...done.user, held: true } }
}

/** Takes a user, and what comes along, into another directory with one statement, which ends there what does not. */
export async function moveWithBelongings(
  work: TxWork,
  move: UserMove & { user: HeldUser },
  changes: Partial<NewUserRow>,
): Promise<Done<HeldUser>> {
  const { db, directory } = work
  const plan = planChange(work, move, (belonging) => belonging.move)
  const owner = putRow(move.to, move.user, { ...plan.columns, ...changes })
  const done = await runPlan(db, plan, { owner, left: takeRow(db, directory, move.user.id) })
  return { ...done, user: { ...done.user, held: true } }
}
