import type { EventDefinition } from '../../platform/events.ts'
import { loginEvents } from '../login/login.ts'
import { userEvents } from '../users/users.ts'

/** What `unlockByLink` may record. */
export const unlockByLinkEvents: EventDefinition[] = [userEvents.unlocked, loginEvents.failed]
