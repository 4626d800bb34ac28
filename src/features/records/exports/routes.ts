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
    summary: 'Export everything that is kept about a user',
    description: 'Secrets as facts alone. Needs the scope audit.read besides.',
    params: UserParams,
    reply: ExportReply,
    errors: [userErrors.notFound],
    event: exportEvents.exported,
    handle: (work, { params }) => exportUser(work, params.userId),
  }),
]
