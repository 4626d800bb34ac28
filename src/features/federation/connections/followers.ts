import { defineSlot } from '../../../platform/platform.ts'
import type { TxWork } from '../../../platform/work.ts'

type Follower = (work: TxWork, connectionId: string) => Promise<void>

// Slot: provisioning gives roles by the mapping, and is on a higher floor.
/** Called in the transaction that changes which groups give which roles in a connection. */
export const mappingFollower = defineSlot<Follower>('what follows a mapping')

// Slot: provisioning may be linked to the connection, and is on a higher floor.
/** Called in the transaction that deletes a connection. */
export const deletionFollower = defineSlot<Follower>('what follows the deletion of a connection')
