import { isOutdatedStatement, sqlState } from './failure.ts'
import { inTransaction } from './lanes.ts'
import type { Db, Tx } from './pool.ts'

export type RunInTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

const ATTEMPTS = 3
// Deadlock, serialization failure, and lock timeout, which may end a deadlock before it is detected.
const RETRIED = ['40P01', '40001', '55P03']
const afterCommit = new WeakMap<Tx, (() => void)[]>()

/**
 * Runs the work in one transaction, so that rows, events and jobs are written atomically. Runs it again after a
 * deadlock or serialization failure, or if a statement was prepared before a migration. So the work must have no
 * effect outside its transaction.
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

/** Runs `act` after the transaction has committed. Never runs it after a rollback. */
export function onCommit(tx: Tx, act: () => void): void {
  const actions = afterCommit.get(tx)
  if (!actions) throw new Error('onCommit requires a transaction of transactions()')
  actions.push(act)
}

/** Reads from one snapshot of the database, regardless of concurrent writes. */
export function readSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((tx) => inTransaction(() => read(tx)))
}
