import { handedIn } from '../../../platform/platform.ts'
import type { TxWork } from '../../../platform/work.ts'

/** Runs in the transaction that changes the display name of a provisioned user. */
export const nameFollower = handedIn<(work: TxWork, userId: string) => Promise<void>>('what follows a name')
