import type { Belonging, Fate, Step, UserChange, UserColumns, UserMove, UserTable } from '../../platform/belongings.ts'
import type { EventInput } from '../../platform/events.ts'
import type { TxWork } from '../../platform/work.ts'
import { changeRow, type Outcome, type Part, putRow, runParts, takeRow } from './belongings-store.ts'
import type { HeldUser, NewUserRow, UserChanges } from './store.ts'

/** What a change of a user came to. */
export interface Done {
  user: HeldUser
  /** What is to be recorded of what hung on the user. */
  announced: EventInput[]
  /** Of tables whose rows are announced: how many were. */
  changed: Partial<Record<UserTable, number>>
}

/** What becomes of the user's rows of one table. */
interface Planned {
  belonging: Belonging
  step: Step
  /** The common table expression of what has changed. */
  name: string
}

/**
 * Applies an occasion to everything that hangs on a user, together with `changes` of their row, in one statement. A
 * request that read the user before meets the raised epoch.
 */
export async function applyToBelongings(
  work: TxWork,
  occasion: 'proof' | 'cutOff' | 'removal',
  change: UserChange & { user: HeldUser },
  changes: UserChanges = {},
): Promise<Done> {
  const { db, directory } = work
  const plan = planOf(work, change, (belonging) => belonging[occasion])
  const owner = changeRow(db, directory, change.user.id, changes).set(columnsOf(plan))
  return describe(plan, change, await runParts(db, partsOf(plan), owner, announcedBy(plan)))
}

/** Takes a user, and what comes along, into another directory with one statement, which ends there what does not. */
export async function moveWithBelongings(
  work: TxWork,
  move: UserMove & { user: HeldUser },
  changes: Partial<NewUserRow>,
): Promise<Done> {
  const { db, directory } = work
  const plan = planOf(work, move, (belonging) => belonging.move)
  const left = { name: 'users_left', query: takeRow(db, directory, move.user.id) }
  const owner = putRow(db, move.to, move.user, { ...columnsOf(plan), ...changes })
  return describe(plan, move, await runParts(db, [...partsOf(plan), left], owner, announcedBy(plan)))
}

function planOf<Change extends UserChange>(
  work: TxWork,
  change: Change,
  fateOf: (belonging: Belonging) => Fate<Change>,
): Planned[] {
  return work.platform.belongings.flatMap((belonging) => {
    const fate = fateOf(belonging)
    const step = typeof fate === 'function' && !belonging.isAbsent?.(change.user) ? fate(work, change) : null
    return step ? [{ belonging, step, name: `${belonging.table}_changed` }] : []
  })
}

function partsOf(plan: Planned[]): Part[] {
  return plan.flatMap(({ belonging, step, name }) => [
    ...(step.taken ? [{ name: `${belonging.table}_taken`, query: step.taken }] : []),
    { name, query: step.query },
  ])
}

function columnsOf(plan: Planned[]): UserColumns {
  const columns: UserColumns = {}
  for (const { step, name } of plan) Object.assign(columns, step.columns?.(name))
  return columns
}

function announcedBy(plan: Planned[]): string[] {
  return plan.flatMap(({ belonging, name }) => (belonging.announce ? [name] : []))
}

function describe(plan: Planned[], { reason }: UserChange, { user, returned }: Outcome): Done {
  const changed: Done['changed'] = {}
  const announced = plan.flatMap(({ belonging: { table, announce }, name }) => {
    const rows = returned[name] ?? []
    if (announce) changed[table] = rows.length
    return rows.flatMap((row) => announce?.of(row, reason) ?? [])
  })
  return { user, announced, changed }
}
