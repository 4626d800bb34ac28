import type { Db, Tx } from './db/pool.ts'
import type { Origin } from './events/origin.ts'
import type { Platform } from './platform.ts'
import type { AccountScope, Directory, Reach } from './tenancy/directory.ts'

/** What all work has: the platform, the actor, and the handle for statements. */
interface WorkBase {
  platform: Platform
  /** The actor and request, for events. */
  origin: Origin
  /** The pool, for single statements. Inside `inTx` the transaction. */
  db: Db
}

/**
 * What a rule works with, and the tenant to which the caller was admitted. Rules take `(work, input)`. Stores take
 * `(db, directory, row)` and nothing else.
 */
export interface Work extends WorkBase {
  directory: Directory
}

/** Work for reads of one directory or of a whole environment. */
export interface ReachWork extends WorkBase {
  reach: Reach
}

/** Work for records that belong to the account and not to a directory. */
export interface AccountWork extends WorkBase {
  account: AccountScope
}

/** Work inside a transaction. Its writes succeed together or not at all. */
export interface TxWork extends Work {
  db: Tx
}

/** Work on the account inside a transaction. */
export interface AccountTxWork extends AccountWork {
  db: Tx
}

/**
 * Runs a function in one transaction: the given work's transaction, or a new one. It runs again after a deadlock or a
 * serialization failure, so it must have no effect outside the transaction. Writes that must survive a refusal go
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
