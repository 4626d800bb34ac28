import { defineSlot, type Platform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'

/** What deliveries need from the feature folder that manages endpoints. */
export interface EndpointKeeper {
  /** Whether deliveries are sent for a directory. */
  isOn(platform: Platform, directory: Directory): Promise<boolean>
  openSecret(platform: Platform, owner: { accountId: string; id: string }, sealed: string): Promise<string>
  /** Disables an endpoint that no longer works. */
  disable(work: Work, id: string, reason: 'failing' | 'gone'): Promise<void>
}

// Slot: webhooks import deliveries, so deliveries cannot import webhooks.
export const endpointKeeper = defineSlot<EndpointKeeper>('who keeps the endpoints')
