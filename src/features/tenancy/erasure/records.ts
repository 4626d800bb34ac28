import type { ErasureWork } from '../../../platform/lifecycle/erasure.ts'
import { defineSlot, type Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { EventText } from './mentions.ts'

/** Erases the personal parts of events, and records events about the erasures. */
export interface EraseRecords {
  /** Chains new events first, so that the chain has their digests. */
  chain(platform: Platform): Promise<unknown>
  /** Erases all events of a directory. */
  all(work: ErasureWork, directory: Directory): Promise<void>
  /** Erases the events that `find` picks from each page of a directory. */
  mentions(work: ErasureWork, directory: Directory, find: (events: EventText[]) => Promise<string[]>): Promise<void>
  /** Removes deliveries of these directories' events to the webhooks of another directory. */
  deliveries(work: ErasureWork, to: Directory, from: Directory[]): Promise<void>
}

// Slot: events and deliveries belong to `records`, which `tenancy` may not import.
export const recordErasure = defineSlot<EraseRecords>('what erases events')

/**
 * A table from which a directory's rows are removed. Each batch takes some values of the column and deletes all rows
 * that have them.
 */
export interface ErasedTable {
  table: string
  column: string
}

// Slot: the tables of all features.
export const erasedTables = defineSlot<readonly ErasedTable[]>('the tables that an erasure empties')
