import type { Db, Tx } from './db/pool.ts'
import type { Origin } from './events.ts'
import type { AccountScope, Directory, Reach } from './http/directory.ts'
import type { Platform } from './platform.ts'

/**
 * What a rule works with: the process, the tenant that the caller was let into, who acts, and the handle for
 * statements. Rules take `(work, input)`; stores take `(db, directory, row)` and nothing else.
 */
export interface Work<D extends Directory | Reach | AccountScope = Directory> {
  platform: Platform
  /** The tenant. `Reach` and `AccountScope` for what reads a whole environment, or belongs to the account. */
  directory: D
  /** Who acts, for events. */
  origin: Origin
  /** The pool, for single statements; inside `inTx` the transaction. */
  db: Db
}

/** Work inside a transaction: what it writes is written together, or not at all. */
export interface TxWork<D extends Directory | Reach | AccountScope = Directory> extends Work<D> {
  db: Tx
}

/**
 * Runs the rest in one transaction: that of the work at hand, or one of its own. A deadlock or serialization failure
 * runs it again, so it has no effect outside its transaction. What must survive a refusal is written through
 * `platform.db`.
 */
export function inTx<W extends Work<Directory | Reach | AccountScope>, T>(
  work: W,
  run: (work: W & { db: Tx }) => Promise<T>,
): Promise<T> {
  return isInTx(work) ? run(work) : work.platform.tx((db) => run({ ...work, db }))
}

function isInTx<W extends Work<Directory | Reach | AccountScope>>(work: W): work is W & { db: Tx } {
  return work.db.isTransaction
}
