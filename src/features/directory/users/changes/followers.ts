import { defineSlot } from '../../../../platform/platform.ts'
import type { TxWork } from '../../../../platform/work.ts'

// Slot: groups show users' names. Groups belong to `provisioning`, which may not be imported from here. `src/wiring`
// fills the slot.
/** Called in the transaction that changes the display name of a provisioned user. */
export const nameFollower = defineSlot<(work: TxWork, userId: string) => Promise<void>>('what follows a name')
