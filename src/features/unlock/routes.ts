import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { linkErrors } from '../links/links.ts'
import { Email, loginErrors, TokenHash } from '../login/login.ts'
import { UserParams, userErrors } from '../users/users.ts'
import { unlockByLink, unlockUser } from './unlock.ts'

export const unlockRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/unlock',
    scope: 'auth.login',
    service: 'auth',
    tag: 'Authentication',
    summary: 'End a lock by the mailed link',
    description: 'The mail about a lock brings the link. Failed attempts at the address are forgotten.',
    body: Type.Object({ email: Email, token_hash: TokenHash }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [...Object.values(linkErrors), loginErrors.organizationSuspended],
    event: 'user.unlocked',
    secretReply: true,
    async handle(work, { body }) {
      await unlockByLink(work, { email: body.email, token: body.token_hash })
      return { success: true }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/unlock',
    scope: 'users.write',
    tag: 'Users',
    summary: 'End the lock of a user',
    description: 'Ends every lock of the address, wherever the attempts came from, and forgets them.',
    params: UserParams,
    reply: Type.Object({
      success: Type.Boolean(),
      unlocked: Type.Boolean({ description: 'false: there was neither a lock nor a failed attempt.' }),
    }),
    errors: [userErrors.notFound],
    maybeEvents: ['user.unlocked'],
    async handle(work, { params }) {
      return { success: true, unlocked: await unlockUser(work, params.userId) }
    },
  }),
]
