import type { UserCaller } from '../../../platform/tenancy/caller.ts'
import type { Work } from '../../../platform/work.ts'

/** The work of a route that people call about themselves. */
export type OwnWork = Work & { caller: UserCaller }
