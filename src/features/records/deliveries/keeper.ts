import { defineSlot, type Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'

/** What the noun of endpoints knows of them, and does. */
export interface EndpointKeeper {
  /** Whether anything is sent for a directory. */
  isOn(platform: Platform, directory: Directory): Promise<boolean>
  openSecret(platform: Platform, owner: { accountId: string; id: string }, sealed: string): Promise<string>
  /** Stops one that does not work any more. */
  disable(work: Work, id: string, reason: 'failing' | 'gone'): Promise<void>
}

// Slot: webhooks import deliveries, which ask for the endpoint while they send.
export const endpointKeeper = defineSlot<EndpointKeeper>('who keeps the endpoints')
