import { doorRoutes, loginEvents } from '../../access/login/login.ts'
import { redirectErrors } from '../../access/redirects/redirects.ts'
import { roleEvents } from '../../directory/roles/roles.ts'
import { userEvents } from '../../directory/users/users.ts'
import { federationErrors } from './errors.ts'
import { federationEvents } from './events.ts'

/** What the routes have in common that a provider sends browsers to. */
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
