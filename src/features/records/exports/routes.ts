import { Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { UserParams, userErrors } from '../../directory/users/users.ts'
import { exportEvents } from './events.ts'
import { exportUser } from './exports.ts'
import { ExportReply } from './schema.ts'

export const exportRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/users/{userId}/export',
    operation: 'users.export',
    longRunning: true,
    scope: 'users.read',
    directory: 'reach',
    tag: 'Users',
    summary: 'Export all data of a user',
    description: 'Lists secrets, such as passkeys, without their secret values. Also requires the scope audit.read.',
    params: UserParams,
    query: Type.Object({
      deleted: Type.Optional(
        Type.Boolean({
          description:
            '`true`: exports a deleted user that can still be restored. The path has the user’s `id` in `GET /v1/users?deleted=true`.',
        }),
      ),
    }),
    reply: ExportReply,
    errors: [userErrors.notFound],
    event: exportEvents.exported,
    handle: (work, { params, query }) => exportUser(work, params.userId, query.deleted),
  }),
]
