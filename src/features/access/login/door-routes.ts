import { httpErrors } from '../../../platform/errors.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { userEvents } from '../../directory/users/users.ts'
import { sessionEvents } from '../sessions/sessions.ts'
import { loginErrors } from './errors.ts'
import { loginEvents } from './events.ts'
import { SessionReply } from './session-reply.ts'

// Errors that can occur before the user is known.
const sendErrors = [httpErrors.organizationSuspended, loginErrors.methodDisabled, loginErrors.accountLocked]

/** Errors for a locked or deactivated user (`assertActive`). */
const barred = [loginErrors.userLocked, loginErrors.userInactive]

// A sign-in records exactly one of these events.
const event: EventDefinition[] = [loginEvents.succeeded, loginEvents.challengeCreated]
const maybeEvents: EventDefinition[] = [sessionEvents.created, sessionEvents.revoked, loginEvents.trustedDeviceUsed]

const login = { reply: SessionReply, event, maybeEvents }

/** What routes have in common that prepare or complete a sign-in. */
export const doorRoutes = {
  /** Errors of a route that sends a code or a link. */
  sendErrors,
  /** Errors of a route that requests a session. */
  errors: [
    ...sendErrors,
    ...barred,
    loginErrors.sessionLimitReached,
    loginErrors.signupDisabled,
    loginErrors.ssoRequired,
  ],
  /** Errors of a route that sends or gives something to a user (`assertActive`). */
  barred,
  /** A route that ends in a session. */
  login,
  /** A route that ends in a session by a proof of the mailbox, which may be the user's first. */
  mailboxLogin: {
    ...login,
    maybeEvents: [...maybeEvents, userEvents.emailVerified, loginEvents.signedUp],
  },
  /** Events that the first proof of a mailbox may record, also without a sign-in. */
  proofEvents: [userEvents.emailVerified, sessionEvents.revoked],
}
