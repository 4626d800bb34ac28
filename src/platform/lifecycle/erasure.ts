import type { Tx } from '../db/pool.ts'
import type { Platform } from '../platform.ts'

/** The erasure of an organization that is under way. */
export interface ErasureWork {
  platform: Platform
  organizationId: string
  /** Runs a step in a transaction that locks the organization, so that two processes do not write the same. */
  held<T>(step: (tx: Tx) => Promise<T>): Promise<T>
}
