import { isOutdatedStatement, sqlState } from './failure.ts'
import { inTransaction } from './lanes.ts'
import type { Db, Tx } from './pool.ts'

export type RunInTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

const ATTEMPTS = 3
// Deadlock; serialization failure; lock timeout, which a deadlock may hit before it is detected.
const RETRIED = ['40P01', '40001', '55P03']
const afterCommit = new WeakMap<Tx, (() => void)[]>()

/**
 * Runs the work in one transaction: rows, events and jobs are written atomically. After a deadlock or serialization
 * failure, or if a statement was prepared before a migration, it is run again, so the work must have no effect outside its transaction.
 */
export function transactions(db: Db): RunInTransaction {
  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      const committed: (() => void)[] = []
      try {
        const result = await db.transaction().execute((tx) => {
          afterCommit.set(tx, committed)
          return inTransaction(() => work(tx))
        })
        for (const act of committed) act()
        return result
      } catch (error) {
        const isRetried = RETRIED.includes(sqlState(error) ?? '') || isOutdatedStatement(error)
        if (!isRetried || attempt === ATTEMPTS) throw error
      }
    }
  }
}

/** Runs `act` after the transaction has committed, and never if it is rolled back. */
export function onCommit(tx: Tx, act: () => void): void {
  const actions = afterCommit.get(tx)
  if (!actions) throw new Error('onCommit requires a transaction of transactions()')
  actions.push(act)
}

/** Reads in one snapshot of the database, whatever is written meanwhile. */
export function readSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((tx) => inTransaction(() => read(tx)))
}
