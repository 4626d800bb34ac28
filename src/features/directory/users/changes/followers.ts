import { defineSlot } from '../../../../platform/platform.ts'
import type { TxWork } from '../../../../platform/work.ts'

// Slot: groups show users' names and belong to `provisioning`, which is on a higher floor.
/** Called in the transaction that changes the display name of a provisioned user. */
export const nameFollower = defineSlot<(work: TxWork, userId: string) => Promise<void>>('what follows a name')
