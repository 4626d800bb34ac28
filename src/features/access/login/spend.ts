import { type JoinedEvent, joinedEventRow, originRow } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { runAlone, runTogether } from '../../../platform/joined/joined.ts'
import type { UsedBeside, UsedCondition, UsedOutcome, UsedProof } from '../../../platform/joined/proofs.ts'
import type { Work } from '../../../platform/work.ts'
import type { FirstProof } from './first-proof.ts'
import { spendStatement } from './spend-statement.ts'

/** What is spent, and for what. */
export interface Spending<R extends object> {
  /** The user as they were read: they must still have this mailbox, and must not have been cut off since. */
  user: { id: string; emailNorm: string; epoch: number }
  /** All of these must hold. */
  proofs: UsedProof[]
  beside: UsedBeside[]
  conditions: UsedCondition[]
  outcome: UsedOutcome<R>
  firstProof?: FirstProof | undefined
  /** The id of what is made. */
  madeId: string
  events: JoinedEvent[]
}

/**
 * The one statement that burns a proof and writes what it pays for, a session or a challenge, with its events: a process
 * that dies leaves neither a burnt proof without its session nor the reverse. The user's row is locked first, then the
 * proof's. Outside a transaction, requests of the same kinds at the same time share it. For a first proof of the mailbox
 * another goes before it, in the same transaction.
 * @returns null, with nothing written, when a proof was burnt already, or the user was deleted, cut off or changed
 * address, or a condition no longer holds; for a first proof of the mailbox also when anything else holds the user.
 */
export async function spend<R extends object>(work: Work, spending: Spending<R>): Promise<R | null> {
  const item = itemOf(work, spending)
  const shared = work.db.isTransaction ? null : await runTogether(work.platform, item)
  // What another transaction holds was left out: here it is waited for. A first proof leaves that to its caller.
  const made = shared ?? (spending.firstProof ? null : await runAlone(work.db, item))
  // `R` is what the outcome says that its columns are.
  return made as R | null
}

function itemOf<R extends object>(work: Work, spending: Spending<R>) {
  const { user, proofs, beside, outcome, madeId, events, firstProof } = spending
  const conditions = firstProof ? [...spending.conditions, firstProof.nothingBefore] : spending.conditions
  const parts = [...proofs, ...beside, ...conditions, outcome]
  const row = {
    ...originRow(work),
    user_id: user.id,
    email_norm: user.emailNorm,
    epoch: user.epoch,
    made_id: madeId,
    new_account_id: newId(),
  }
  return {
    statement: spendStatement(work.platform, {
      outcome: outcome.kind,
      proofs: proofs.map(({ kind }) => kind),
      beside: beside.map(({ kind }) => kind),
      conditions: conditions.map(({ kind }) => kind),
      isFirstProof: firstProof !== undefined,
    }),
    directoryId: work.directory.id,
    // The sign-ins of one user see each other's effect.
    key: user.id,
    row: Object.assign(row, ...parts.map(({ values }) => values)),
    more: events.map((event) => joinedEventRow(work, event)),
    ...(firstProof ? { lead: firstProof.lead } : {}),
  }
}
