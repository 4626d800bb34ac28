import type { EventDefinition } from '../../../platform/events/events.ts'
import { loginEvents } from '../../access/login/login.ts'
import { userEvents } from '../../directory/users/users.ts'

/** Events that `unlockByLink` may record. */
export const unlockByLinkEvents: EventDefinition[] = [userEvents.unlocked, loginEvents.failed]
