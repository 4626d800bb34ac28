import { Type } from 'typebox'
import { streamErrors } from '../../../platform/events/event-epoch.ts'
import { byAge, finishPage, listQuery, listReply, readPage } from '../../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { isId } from '../../../platform/ids.ts'
import { RevokedCount, Success } from '../../../platform/schema.ts'
import { directoryInReach } from '../../../platform/tenancy/services.ts'
import { getUser, UserParams, userErrors } from '../../directory/users/users.ts'
import { revokeSession, revokeUserSessions } from './cut-off.ts'
import { endReasons } from './end-reasons.ts'
import { sessionErrors } from './errors.ts'
import { sessionEvents } from './events.ts'
import { readRevocations } from './feed.ts'
import { groupByUser, Revocation, Session, toSession, UserSessions } from './schema.ts'
import { listSessionRows, sessionExists } from './store.ts'

const tag = 'Sessions'

export const sessionRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions',
    operation: 'sessions.list',
    scope: 'sessions.read',
    service: 'sessions',
    directory: 'reach',
    tag,
    summary: 'List live sessions, grouped by user',
    query: Type.Object({
      ...listQuery,
      userId: Type.Optional(
        Type.String({ description: 'Only sessions of this user. Send `id` or `userId` of the user.', format: 'uuid' }),
      ),
    }),
    reply: Type.Object(
      {
        users: Type.Array(UserSessions, {
          description: 'Users with live sessions, in the order of their first session on the page.',
        }),
        ...listReply,
      },
      { description: 'A page of live sessions, by user.' },
    ),
    async handle(work, { query }) {
      const userId = query.userId?.toLowerCase()
      const page = readPage(work.platform, '/v1/sessions', query)
      const found = await listSessionRows(work.db, work.reach, userId === undefined ? {} : { userId }, page)
      const { rows, reply } = finishPage(work, page, found, byAge)
      return {
        users: groupByUser(rows),
        ...reply,
      }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/sessions',
    operation: 'sessions.revokeForUser',
    sameAs: 'users.revokeSessions',
    scope: 'sessions.revoke',
    tag,
    summary: 'End every session of a user',
    query: Type.Object({
      userId: Type.String({ description: 'The user whose sessions end. Send `id` or `userId` of the user.' }),
    }),
    reply: Type.Object({ success: Type.Boolean(), revoked: RevokedCount }),
    errors: [userErrors.notFound],
    maybeEvents: [sessionEvents.revoked],
    async handle(work, { query: { userId } }) {
      const user = await getUser(work, userId)
      return { success: true, revoked: await revokeUserSessions(work, user.id, endReasons.revoked) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/users/{userId}/sessions',
    operation: 'users.revokeSessions',
    scope: 'sessions.revoke',
    tag: 'Users',
    summary: 'End every session of a user',
    params: UserParams,
    reply: Type.Object({ success: Type.Boolean(), revoked: RevokedCount }),
    errors: [userErrors.notFound],
    maybeEvents: [sessionEvents.revoked],
    async handle(work, { params }) {
      const user = await getUser(work, params.userId)
      return { success: true, revoked: await revokeUserSessions(work, user.id, endReasons.revoked) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{sessionId}',
    operation: 'sessions.get',
    scope: 'sessions.read',
    service: 'sessions',
    directory: 'reach',
    tag,
    summary: 'Read a live session',
    params: Type.Object({
      sessionId: Type.String({ description: 'Session: `id` in `GET /v1/sessions`, or `sid` in its access tokens.' }),
    }),
    reply: Session,
    errors: [sessionErrors.notFound],
    async handle(work, { params: { sessionId } }) {
      const id = sessionId.toLowerCase()
      const page = readPage(work.platform, '/v1/sessions', { limit: 1 })
      const {
        rows: [row],
      } = isId(id) ? await listSessionRows(work.db, work.reach, { id }, page) : { rows: [] }
      if (!row) throw sessionErrors.notFound()
      // Throws if the service is off in the session's directory.
      await directoryInReach(work.platform, work.reach, row.directory_id)
      return toSession(row)
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/sessions/{sessionId}',
    operation: 'sessions.revoke',
    scope: 'sessions.revoke',
    tag,
    summary: 'End one session',
    description: 'Idempotent: ending a session that has already ended succeeds.',
    params: Type.Object({
      sessionId: Type.String({ description: 'Session: `id` in `GET /v1/sessions`, or `sid` in its access tokens.' }),
    }),
    reply: Success,
    errors: [sessionErrors.notFound],
    maybeEvents: [sessionEvents.revoked],
    async handle(work, { params: { sessionId } }) {
      if (!isId(sessionId) || !(await sessionExists(work.db, work.directory, sessionId))) throw sessionErrors.notFound()
      await revokeSession(work, sessionId, endReasons.revoked)
      return { success: true }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/revocations',
    operation: 'sessions.listRevocations',
    scope: 'sessions.read',
    service: 'sessions',
    directory: 'reach',
    tag,
    summary: 'List ended sessions',
    description:
      'For services that verify tokens offline and must learn of ended sessions before the access tokens expire. Poll with the last next_cursor. While has_more is true, poll again immediately. Returns each ended session exactly once, oldest first.',
    query: Type.Object({
      after: Type.Optional(
        Type.String({
          description: '`next_cursor` of the previous page. Default: start at the oldest revocation that is kept.',
          maxLength: 200,
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'Maximum rows per page. Default 1000.' }),
      ),
    }),
    reply: Type.Object({
      revocations: Type.Array(Revocation, { description: 'Sessions that ended, oldest first.' }),
      has_more: Type.Boolean({
        description: 'Whether more revocations exist. If true, read the next page immediately.',
      }),
      next_cursor: Type.String({
        description: 'Cursor for the next call. Always present.',
        examples: ['40XWT9-Xl29pafx27PHTegAAYaVdbA37poeYVlyFvQ8XUAfu7mpb6c4JZXwT8LLXQogJqxkJan-VkNEa'],
      }),
    }),
    errors: [streamErrors.cursorExpired],
    async handle(work, { query: { after = null, limit = 1000 } }) {
      const { revocations, nextCursor, hasMore } = await readRevocations(work, after, limit)
      return { revocations, has_more: hasMore, next_cursor: nextCursor }
    },
  }),
]
