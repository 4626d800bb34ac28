import type { Tx } from '../db/pool.ts'
import type { Platform } from '../platform.ts'

/** An erasure of an organization in progress. */
export interface ErasureWork {
  platform: Platform
  organizationId: string
  /** Runs a step in a transaction that locks the organization, so that two processes do not write the same rows. */
  held<T>(step: (tx: Tx) => Promise<T>): Promise<T>
}
