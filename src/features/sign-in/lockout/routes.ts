import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { nullable, Success } from '../../../platform/schema.ts'
import { toUser, User, UserParams, userErrors, userEvents } from '../../directory/users/users.ts'
import { linkErrors, linkRoute } from '../links/links.ts'
import { lockUser } from './lock.ts'
import { unlockByLink, unlockUser } from './unlock.ts'

const unlockRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/unlock',
    operation: 'auth.unlock',
    scope: 'auth.login',
    organizationToken: 'token_hash',
    service: 'auth',
    tag: 'Authentication',
    summary: 'Unlock a user by link',
    description:
      'Send the token of the link in the email about the lock. Ends the locks caused by failed attempts, and resets the count of failed attempts for the address.',
    body: linkRoute.PresentedBody,
    reply: Success,
    errors: [...Object.values(linkErrors), httpErrors.organizationSuspended],
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
    description:
      'Removes every lock of the user: an administrator’s lock, and locks caused by failed attempts, for single networks and for all networks. Resets the count of failed attempts, also for the second factor.',
    params: UserParams,
    reply: Type.Object({
      success: Type.Boolean(),
      unlocked: Type.Boolean({ description: '`false` if there was no lock and no failed attempt.' }),
    }),
    errors: [userErrors.notFound],
    maybeEvents: [userEvents.unlocked],
    async handle(work, { params }) {
      return { success: true, unlocked: await unlockUser(work, params.userId) }
    },
  }),
]

/** `announced` lists the events that end together with a user's access. */
export function lockoutRoutes(announced: EventDefinition[]): Route[] {
  return [...unlockRoutes, lockRoute(announced)]
}

function lockRoute(announced: EventDefinition[]): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}/lock',
    operation: 'users.lock',
    scope: 'users.write',
    tag: 'Users',
    summary: 'Lock a user',
    description:
      'Refuses every sign-in method with 403 `user_locked`, ends every session immediately, and removes every trusted device. The lock ends at `until`, or when POST /v1/users/{userId}/unlock is called. A new lock replaces an existing one.',
    params: UserParams,
    body: Type.Object({
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '\\S',
        description: 'The reason for administrators and the audit log. The user never sees it.',
        examples: ['Laptop stolen, ticket 4711'],
      }),
      until: Type.Optional(
        Object.assign(
          nullable(
            Type.String({ format: 'date-time' }),
            'When the lock ends. Absent or null: the lock ends only when the user is unlocked.',
          ),
          {
            examples: [null],
          },
        ),
      ),
    }),
    reply: Type.Object({
      user: User,
      revoked: Type.Integer({ description: 'Number of sessions that ended.', examples: [1] }),
    }),
    errors: [userErrors.notFound],
    event: userEvents.locked,
    maybeEvents: announced,
    async handle(work, { params, body: { reason, until = null } }) {
      const { user, ended } = await lockUser(work, params.userId, { reason, until })
      return { user: toUser(user, work.directory.organizationId), revoked: ended }
    },
  })
}
