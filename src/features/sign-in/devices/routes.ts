import { httpErrors } from '../../../platform/errors.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { Success } from '../../../platform/schema.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { linkErrors, linkRoute } from '../links/links.ts'
import { deviceEvents } from './events.ts'
import { reportUnknownSignIn } from './unknown-sign-in.ts'

export const deviceRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/devices/disown',
    operation: 'auth.reportSignIn',
    scope: 'auth.login',
    organizationToken: 'token_hash',
    service: 'auth',
    tag: 'Authentication',
    summary: 'Report an unknown sign-in',
    description:
      'Send the token of the link in the email about a new device. Ends all sessions of the user, removes all trusted devices, and cancels sign-ins in progress.',
    body: linkRoute.PresentedBody,
    reply: Success,
    errors: [...Object.values(linkErrors), httpErrors.organizationSuspended],
    event: deviceEvents.disowned,
    maybeEvents: [sessionEvents.revoked],
    async handle(work, { body }) {
      await reportUnknownSignIn(work, { email: body.email, token: body.token_hash })
      return { success: true }
    },
  }),
]
