import type { Work } from '../work.ts'
import type { UserCaller } from './caller.ts'

/** The work of a route that users and members of the team call about themselves. */
export type OwnWork = Work & { caller: UserCaller }
