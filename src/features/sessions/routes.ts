import { Type } from 'typebox'
import { byAge, finishPage, listQuery, listReply, readPage } from '../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { isId } from '../../platform/ids.ts'
import { sessionErrors } from './errors.ts'
import { readRevocations } from './feed.ts'
import { groupByUser, Revocation, toRevocation, UserSessions } from './schema.ts'
import { revokeSession, revokeUserSessions } from './sessions.ts'
import { findUserIdOf, listSessionRows, sessionExists } from './store.ts'

const tag = 'Sessions'

export const sessionRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions',
    scope: 'sessions.read',
    service: 'sessions',
    directory: 'reach',
    tag,
    summary: 'List live sessions, grouped by user',
    query: Type.Object({ ...listQuery, userId: Type.Optional(Type.String({ format: 'uuid' })) }),
    reply: Type.Object({ users: Type.Array(UserSessions), ...listReply }),
    async handle(work, { query }) {
      const { userId } = query
      const page = readPage(work.platform, '/v1/sessions', query)
      const found = await listSessionRows(work.db, work.directory, userId === undefined ? {} : { userId }, page)
      const { rows, reply } = finishPage(work, page, { rows: found }, byAge)
      return { users: groupByUser(rows), ...reply }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/sessions',
    scope: 'sessions.revoke',
    tag,
    summary: 'End every session of a user',
    query: Type.Object({ userId: Type.String({ description: 'directory_user_id or user_id' }) }),
    reply: Type.Object({ success: Type.Boolean(), revoked: Type.Integer() }),
    errors: [sessionErrors.userNotFound],
    maybeEvents: ['session.revoked'],
    async handle(work, { query: { userId } }) {
      const id = isId(userId) ? await findUserIdOf(work.db, work.directory, userId) : null
      if (id === null) throw sessionErrors.userNotFound()
      return { success: true, revoked: await revokeUserSessions(work, id, 'revoked') }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/sessions/{sessionId}',
    scope: 'sessions.revoke',
    tag,
    summary: 'End one session',
    description: 'Ending a session that has ended already succeeds and does nothing.',
    params: Type.Object({ sessionId: Type.String() }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [sessionErrors.notFound],
    maybeEvents: ['session.revoked'],
    async handle(work, { params: { sessionId } }) {
      if (!isId(sessionId) || !(await sessionExists(work.db, work.directory, sessionId))) throw sessionErrors.notFound()
      await revokeSession(work, sessionId, 'revoked')
      return { success: true }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/revocations',
    scope: 'sessions.read',
    service: 'sessions',
    directory: 'reach',
    tag,
    summary: 'Follow the sessions that end',
    description:
      'For verifiers that check tokens offline and want to know sooner than expires_in: poll with the last next_cursor. ' +
      'At least once: an entry of the last half minute may come again, none is left out.',
    query: Type.Object({
      after: Type.Optional(Type.String({ maxLength: 200 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    }),
    reply: Type.Object({
      revocations: Type.Array(Revocation),
      next_cursor: Type.String({ description: 'Always there: where the next call goes on.' }),
    }),
    async handle(work, { query: { after = null, limit = 1000 } }) {
      const { rows, nextCursor } = await readRevocations(work, after, limit)
      return { revocations: rows.map(toRevocation), next_cursor: nextCursor }
    },
  }),
]
