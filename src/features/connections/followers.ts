import { handedIn } from '../../platform/platform.ts'
import type { TxWork } from '../../platform/work.ts'

/** What follows, in its transaction, from a change of which groups give which roles by a connection, or from its end. */
export const mappingFollower = handedIn<(work: TxWork, connectionId: string) => Promise<void>>('what follows a mapping')
