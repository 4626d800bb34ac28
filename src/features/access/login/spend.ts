import { type JoinedEvent, joinedEventRow, originRow } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { runAlone, runTogether } from '../../../platform/joined/joined.ts'
import type { UsedBeside, UsedCondition, UsedOutcome, UsedProof } from '../../../platform/joined/proofs.ts'
import type { Work } from '../../../platform/work.ts'
import type { FirstProof } from './first-proof.ts'
import { spendStatement } from './spend-statement.ts'

/** The proofs to use up, and what they pay for. */
export interface Spending<R extends object> {
  /** The user as the caller read them. The statement fails if their address has changed or they were cut off since. */
  user: { id: string; emailNorm: string; epoch: number }
  /** Proofs that must all still be valid. */
  proofs: UsedProof[]
  beside: UsedBeside[]
  conditions: UsedCondition[]
  outcome: UsedOutcome<R>
  firstProof?: FirstProof | undefined
  /** The id of the session or challenge to create. */
  madeId: string
  events: JoinedEvent[]
}

/**
 * Uses up a proof and, in the same statement, writes the session or challenge that it pays for, with its events. So a
 * crash cannot leave a used proof without a session, or a session whose proof is still valid. The statement locks the
 * user's row first, then the proof's. Outside a transaction, concurrent calls are batched: calls whose proofs and
 * conditions are of the same kinds run in one SQL statement. For a first proof of the mailbox, the statement that
 * confirms the address runs before it in the same transaction.
 * @returns null, with nothing written, if a proof was already used, the user was deleted, cut off or changed address,
 * or a condition no longer holds. For a first proof also if another transaction has locked the user's row.
 */
export async function spend<R extends object>(work: Work, spending: Spending<R>): Promise<R | null> {
  const item = itemOf(work, spending)
  const shared = work.db.isTransaction ? null : await runTogether(work.platform, item)
  // The shared statement skips rows that another transaction has locked; this one waits for them. For a first proof
  // this returns null instead, and the caller waits for the user's row.
  const made = shared ?? (spending.firstProof ? null : await runAlone(work.db, item))
  // The outcome guarantees that its columns have the type `R`.
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
    // Sign-ins of the same user run one after the other, so each sees what the one before wrote.
    key: user.id,
    row: Object.assign(row, ...parts.map(({ values }) => values)),
    more: events.map((event) => joinedEventRow(work, event)),
    ...(firstProof ? { lead: firstProof.lead } : {}),
  }
}
