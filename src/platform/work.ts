import type { Db, Tx } from './db/pool.ts'
import type { Origin } from './events/origin.ts'
import type { Platform } from './platform.ts'
import type { AccountScope, Directory, Reach } from './tenancy/directory.ts'

/**
 * What a rule works with: the process, the tenant the caller was admitted to, who acts, and the handle for statements.
 * Rules take `(work, input)`; stores take `(db, directory, row)` and nothing else.
 */
export interface Work<D extends Directory | Reach | AccountScope = Directory> {
  platform: Platform
  /** The tenant: a `Reach` for reads of a whole environment, an `AccountScope` for what belongs to the account. */
  directory: D
  /** Who acts, for events. */
  origin: Origin
  /** The pool, for single statements; inside `inTx` the transaction. */
  db: Db
}

/** Work inside a transaction: its writes succeed together, or not at all. */
export interface TxWork<D extends Directory | Reach | AccountScope = Directory> extends Work<D> {
  db: Tx
}

/**
 * Runs a function in one transaction: that of the given work, or a new one. It is run again after a deadlock or a
 * serialization failure, so it must have no effect outside the transaction. What must survive a refusal is written
 * through `platform.db`.
 */
export function inTx<W extends Pick<Work, 'platform' | 'db'>, T>(
  work: W,
  run: (work: W & { db: Tx }) => Promise<T>,
): Promise<T> {
  return isInTx(work) ? run(work) : work.platform.tx((db) => run({ ...work, db }))
}

function isInTx<W extends Pick<Work, 'db'>>(work: W): work is W & { db: Tx } {
  return work.db.isTransaction
}
