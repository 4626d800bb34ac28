import { defineEndReasons } from '../../../platform/lifecycle/end-reasons.ts'

/** `revoked`: by a session route. `session_limit`: more sessions than allowed. `recovered`: by `watchword recover`. */
export const endReasons = defineEndReasons('revoked', 'session_limit', 'recovered')
