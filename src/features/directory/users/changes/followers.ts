import { defineSlot } from '../../../../platform/platform.ts'
import type { TxWork } from '../../../../platform/work.ts'

// Slot: groups of the wing of provisioning show the names of users.
/** Runs in the transaction that changes the display name of a provisioned user. */
export const nameFollower = defineSlot<(work: TxWork, userId: string) => Promise<void>>('what follows a name')
