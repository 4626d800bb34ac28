import type { Tx } from '../../../platform/db/pool.ts'
import { handedIn, type Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { EventText } from './mentions.ts'

/** The erasure of an organization that is under way. */
export interface ErasureWork {
  platform: Platform
  organizationId: string
  /** Runs a step in a transaction that holds the organization, so that two processes do not write the same. */
  held<T>(step: (tx: Tx) => Promise<T>): Promise<T>
}

/** Erases personal parts of events, with events that cover it. */
export interface EraseRecords {
  /** New events are chained first, so that the chain has their digests. */
  chain(platform: Platform): Promise<unknown>
  /** Of all events of a directory. */
  all(work: ErasureWork, directory: Directory): Promise<void>
  /** Of those events of a directory that `find` returns of each page. */
  mentions(work: ErasureWork, directory: Directory, find: (events: EventText[]) => Promise<string[]>): Promise<void>
  /** Removes deliveries of events of some directories to webhooks of another. */
  deliveries(work: ErasureWork, to: Directory, from: Directory[]): Promise<void>
}

// Handed in: events and deliveries belong to the records, which tenancy does not import.
export const recordErasure = handedIn<EraseRecords>('what erases events')

/** A table whose rows of a directory go, those of so many values of a column at a time. */
export interface ErasedTable {
  table: string
  column: string
}

// Handed in: the tables of all features.
export const erasedTables = handedIn<readonly ErasedTable[]>('the tables that an erasure empties')
