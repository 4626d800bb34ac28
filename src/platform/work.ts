import type { Db, Tx } from './db/pool.ts'
import type { Origin } from './events/origin.ts'
import type { Platform } from './platform.ts'
import type { AccountScope, Directory, Reach } from './tenancy/directory.ts'

/** What all work has: the process, who acts, and the handle for statements. */
interface WorkBase {
  platform: Platform
  /** Who acts, for events. */
  origin: Origin
  /** The pool, for single statements; inside `inTx` the transaction. */
  db: Db
}

/**
 * What a rule works with, and the tenant that the caller was admitted to. Rules take `(work, input)`; stores take
 * `(db, directory, row)` and nothing else.
 */
export interface Work extends WorkBase {
  directory: Directory
}

/** The same for reads of one directory, or of a whole environment. */
export interface ReachWork extends WorkBase {
  reach: Reach
}

/** The same for what belongs to the account and not to a directory. */
export interface AccountWork extends WorkBase {
  account: AccountScope
}

/** Work inside a transaction: its writes succeed together, or not at all. */
export interface TxWork extends Work {
  db: Tx
}

/** Work on the account inside a transaction. */
export interface AccountTxWork extends AccountWork {
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
