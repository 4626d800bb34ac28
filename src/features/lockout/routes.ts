import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { Success } from '../../platform/schema.ts'
import { linkErrors, PresentedLinkBody } from '../links/links.ts'
import { loginErrors } from '../login/login.ts'
import { UserParams, userErrors, userEvents } from '../users/users.ts'
import { unlockByLink, unlockUser } from './unlock.ts'

export const lockoutRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/unlock',
    operation: 'auth.unlock',
    scope: 'auth.login',
    service: 'auth',
    tag: 'Authentication',
    summary: 'Unlock an address with a mailed link',
    description: 'The mail about a lock has the link. Resets the failed attempts at the address.',
    body: PresentedLinkBody,
    reply: Success,
    errors: [...Object.values(linkErrors), loginErrors.organizationSuspended],
    event: userEvents.unlocked,
    async handle(work, { body }) {
      await unlockByLink(work, { email: body.email, token: body.token_hash })
      return { success: true }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/unlock',
    operation: 'users.unlock',
    scope: 'users.write',
    tag: 'Users',
    summary: 'Unlock a user',
    description: 'Ends every lock of the address, for all networks, and resets the failed attempts.',
    params: UserParams,
    reply: Type.Object({
      success: Type.Boolean(),
      unlocked: Type.Boolean({ description: 'false: there was neither a lock nor a failed attempt.' }),
    }),
    errors: [userErrors.notFound],
    maybeEvents: [userEvents.unlocked],
    async handle(work, { params }) {
      return { success: true, unlocked: await unlockUser(work, params.userId) }
    },
  }),
]
