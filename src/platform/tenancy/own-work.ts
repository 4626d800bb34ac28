import type { Work } from '../work.ts'
import type { UserCaller } from './caller.ts'

/** The work of a route with which users and team members manage themselves. */
export type OwnWork = Work & { caller: UserCaller }
