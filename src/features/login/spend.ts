import { CompiledQuery } from 'kysely'
import { coalesce } from '../../platform/db/coalesce.ts'
import type { Db } from '../../platform/db/pool.ts'
import { recordsetValue } from '../../platform/db/recordset.ts'
import { type JoinedEvent, joinedEventRow, originRow } from '../../platform/events.ts'
import { newId } from '../../platform/ids.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import type { UsedBeside, UsedCondition, UsedOutcome, UsedProof } from '../../platform/proofs.ts'
import type { Work } from '../../platform/work.ts'
import { type Form, type Shape, shapeName, spendText } from './spend-text.ts'

/** What is spent, and for what. */
export interface Spending<R extends object> {
  /** The user as they were read: they must still have this mailbox, and must not have been cut off since. */
  user: { id: string; emailNorm: string; epoch: number }
  /** All of these must hold. */
  proofs: UsedProof[]
  beside: UsedBeside[]
  conditions: UsedCondition[]
  outcome: UsedOutcome<R>
  /** The id of what is made. */
  madeId: string
  events: JoinedEvent[]
}

interface Item {
  shape: Shape
  directoryId: string
  userId: string
  row: object
  events: object[]
}

/**
 * The one statement that burns a proof and writes what it pays for, a session or a challenge, with its events: a process
 * that dies leaves neither a burnt proof without its session nor the reverse. The user's row is locked first, then the
 * proof's. Outside a transaction, requests of the same kinds at the same time share it.
 * @returns null, with nothing written, when a proof was burnt already, or the user was deleted, cut off or changed
 * address, or a condition no longer holds.
 */
export async function spend<R extends object>(work: Work, spending: Spending<R>): Promise<R | null> {
  const item = itemOf(work, spending)
  if (!work.db.isTransaction) {
    const made = await joined(work.platform).together(item)
    // `R` is what the outcome says that its columns are.
    if (made) return made as R
  }
  // What another transaction holds was left out: here it is waited for.
  const [made] = await run<R>(work.db, [item], { waits: true, directoryId: item.directoryId })
  return made ?? null
}

function itemOf<R extends object>(work: Work, spending: Spending<R>): Item {
  const { directory } = work
  const { user, proofs, beside, conditions, outcome, madeId } = spending
  const parts = [...proofs, ...beside, ...conditions, outcome]
  const row = {
    directory_id: directory.id,
    ...originRow(work),
    user_id: user.id,
    email_norm: user.emailNorm,
    epoch: user.epoch,
    made_id: madeId,
    new_account_id: newId(),
  }
  return {
    shape: {
      outcome: outcome.kind,
      proofs: proofs.map(({ kind }) => kind),
      beside: beside.map(({ kind }) => kind),
      conditions: conditions.map(({ kind }) => kind),
    },
    directoryId: directory.id,
    userId: user.id,
    row: Object.assign(row, ...parts.map(({ values }) => values)),
    events: spending.events.map((event) => joinedEventRow(work, event)),
  }
}

type Joined = (item: Item) => Promise<object | null>

/** A queue for each shape. */
const joined = perPlatform((platform: Platform) => {
  const queues = new Map<string, Joined>()
  const queueOf = (shape: Shape): Joined => {
    const name = shapeName(shape)
    const known = queues.get(name)
    if (known) return known
    const queue = coalesce({
      run: (items: Item[], directoryId) => run<object>(platform.db, items, { waits: false, directoryId }),
      place: { database: platform.database, directoryOf: (item) => item.directoryId },
      // The sign-ins of one user see each other's effect.
      keyOf: (item) => item.userId,
    })
    queues.set(name, queue)
    return queue
  }
  return { together: (item: Item) => queueOf(item.shape)(item) }
})

/** One statement for items of one shape. Returns null for those that were not ready. */
async function run<R extends object>(db: Db, items: Item[], form: Form): Promise<(R | null)[]> {
  const [first] = items
  if (!first) return []
  const values = [
    recordsetValue(items.map(({ row }, n) => ({ n, ...row }))),
    items.length,
    recordsetValue(items.flatMap(({ events }, n) => events.map((event) => ({ n, ...event })))),
    ...(form.directoryId === null ? [] : [form.directoryId]),
  ]
  const query = CompiledQuery.raw(spendText(first.shape, form), values)
  const { rows } = await db.executeQuery<R & { n: number }>(query)
  const made = new Map(rows.map((row) => [row.n, row]))
  return items.map((_, n) => made.get(n) ?? null)
}
