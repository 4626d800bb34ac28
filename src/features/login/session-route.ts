import type { EventDefinition } from '../../platform/events.ts'
import { sessionEvents } from '../sessions/sessions.ts'
import { userEvents } from '../users/users.ts'
import { gateEvents, loginEvents } from './events.ts'
import { SessionReply } from './session-reply.ts'

// Exactly one of them.
const event: EventDefinition[] = [loginEvents.succeeded, gateEvents.challengeCreated]
const maybeEvents: EventDefinition[] = [sessionEvents.created, sessionEvents.revoked, gateEvents.trustedDeviceUsed]

/** What every route that ends at the door to a session shares. */
export const doorRoute = { reply: SessionReply, event, maybeEvents }

/** The same for a proof of the mailbox, which may be the user's first. */
export const sessionRoute = {
  ...doorRoute,
  maybeEvents: [...maybeEvents, userEvents.emailVerified, loginEvents.signedUp],
}
