import { httpErrors } from '../../../platform/errors.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { userEvents } from '../../directory/users/users.ts'
import { sessionEvents } from '../sessions/sessions.ts'
import { loginErrors } from './errors.ts'
import { loginEvents } from './events.ts'
import { SessionReply } from './session-reply.ts'

// What the door may refuse before the user is known.
const sendErrors = [httpErrors.organizationSuspended, loginErrors.methodDisabled, loginErrors.accountLocked]

/** What a locked or deactivated user meets (`assertActive`). */
const barred = [loginErrors.userLocked, loginErrors.userInactive]

// Exactly one of them.
const event: EventDefinition[] = [loginEvents.succeeded, loginEvents.challengeCreated]
const maybeEvents: EventDefinition[] = [sessionEvents.created, sessionEvents.revoked, loginEvents.trustedDeviceUsed]

const login = { reply: SessionReply, event, maybeEvents }

/** What routes share that lead to the door, or end at it. */
export const doorRoutes = {
  /** Of one that sends a code or a link. */
  sendErrors,
  /** Of one that asks for a session. */
  errors: [
    ...sendErrors,
    ...barred,
    loginErrors.sessionLimitReached,
    loginErrors.signupDisabled,
    loginErrors.ssoRequired,
  ],
  /** Of one that sends or gives something to a user (`assertActive`). */
  barred,
  /** One that ends in a session. */
  login,
  /** The same for a proof of the mailbox, which may be the user's first. */
  mailboxLogin: {
    ...login,
    maybeEvents: [...maybeEvents, userEvents.emailVerified, loginEvents.signedUp],
  },
  /** What the first proof of a mailbox records, whether or not it signs in. */
  proofEvents: [userEvents.emailVerified, sessionEvents.revoked],
}
