import { doorRoutes, loginEvents } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { roleEvents } from '../../directory/roles/roles.ts'
import { userEvents } from '../../directory/users/users.ts'
import { federationErrors } from './errors.ts'
import { federationEvents } from './events.ts'

/** The common properties of the routes to which providers send browsers. */
export const callbackRoute = {
  auth: 'public' as const,
  media: 'form' as const,
  redirects: true,
  tolerant: true,
  tag: 'Federation',
  errors: [federationErrors.stateUnknown, redirectErrors.notAllowed],
  maybeEvents: [
    ...doorRoutes.login.event,
    ...doorRoutes.mailboxLogin.maybeEvents,
    loginEvents.signedUp,
    userEvents.created,
    userEvents.updated,
    roleEvents.assigned,
    roleEvents.unassigned,
    federationEvents.linked,
    federationEvents.unlinked,
    loginEvents.failed,
  ],
}
