import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'

/** Asked for by a route of sessions; beyond the number that a user may have; by `watchword recover`. */
export const endReasons = defineEndReasons('revoked', 'session_limit', 'recovered')
