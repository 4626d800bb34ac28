import { defineSlot } from '../../../platform/platform.ts'
import type { TxWork } from '../../../platform/work.ts'

type Follower = (work: TxWork, connectionId: string) => Promise<void>

// Slot: the wing of provisioning gives roles by the mapping, and is above.
/** What follows, in its transaction, from a change of which groups give which roles by a connection. */
export const mappingFollower = defineSlot<Follower>('what follows a mapping')

// Slot: the wing of provisioning may be linked to a connection, and is above.
/** What follows, in its transaction, from the deletion of a connection. */
export const deletionFollower = defineSlot<Follower>('what follows the deletion of a connection')
