import { defineSlot } from '../../../platform/platform.ts'
import type { TxWork } from '../../../platform/work.ts'

type Follower = (work: TxWork, connectionId: string) => Promise<void>

// Slot: `provisioning`, which may not be imported from here, gives roles by the mapping. `src/wiring` fills the slot.
/** Called in the transaction that changes which groups give which roles in a connection. */
export const mappingFollower = defineSlot<Follower>('what follows a mapping')

// Slot: `provisioning`, which may not be imported from here, may be linked to the connection. `src/wiring` fills the
// slot.
/** Called in the transaction that deletes a connection. */
export const deletionFollower = defineSlot<Follower>('what follows the deletion of a connection')
