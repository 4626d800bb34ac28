import { handedIn } from '../../platform/platform.ts'
import type { TxWork } from '../../platform/work.ts'

/** What follows, in its transaction, from another display name of a user whom provisioning manages. */
export const nameFollower = handedIn<(work: TxWork, userId: string) => Promise<void>>('what follows a name')
