import { Type } from 'typebox'
import { defineOwnRoute } from '../../../platform/http/own-route.ts'
import { byAge, finishPage, listQuery, listReply, readPage } from '../../../platform/http/pagination.ts'
import type { Route } from '../../../platform/http/route.ts'
import { RevokedCount } from '../../../platform/schema.ts'
import { sessionErrors } from './errors.ts'
import { sessionEvents } from './events.ts'
import { endOtherSessions, endOwnSession, listOwnSessions } from './own.ts'
import { OwnSession, toSession } from './schema.ts'

export const ownSessionRoutes: Route[] = [
  defineOwnRoute({
    method: 'GET',
    path: '/v1/me/sessions',
    operation: 'me.sessions.list',
    service: 'sessions',
    summary: 'List your live sessions',
    query: Type.Object(listQuery),
    reply: Type.Object({
      sessions: Type.Array(OwnSession, {
        description: 'Live sessions of the signed-in user. `current` marks the session of the request.',
      }),
      ...listReply,
    }),
    async handle(work, { query }) {
      const page = readPage(work.platform, '/v1/me/sessions', query)
      const { rows, reply } = finishPage(work, page, await listOwnSessions(work, page), byAge)
      const current = work.caller.sessionId
      return {
        sessions: rows.map((row) => ({ ...toSession(row), current: row.id === current })),
        ...reply,
      }
    },
  }),
  defineOwnRoute({
    method: 'DELETE',
    path: '/v1/me/sessions',
    operation: 'me.sessions.revokeOthers',
    summary: 'End all your other sessions',
    reply: Type.Object({ success: Type.Boolean(), revoked: RevokedCount }),
    maybeEvents: [sessionEvents.revoked],
    handle: async (work) => ({ success: true, revoked: await endOtherSessions(work) }),
  }),
  defineOwnRoute({
    method: 'DELETE',
    path: '/v1/me/sessions/{sessionId}',
    operation: 'me.sessions.revoke',
    summary: 'End one of your sessions',
    description: 'The current session can be ended too. Idempotent: ending a session that has already ended succeeds.',
    params: Type.Object({
      sessionId: Type.String({ description: 'Session: `id` in `GET /v1/me/sessions`, or `sid` in its access tokens.' }),
    }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [sessionErrors.notFound],
    maybeEvents: [sessionEvents.revoked],
    async handle(work, { params }) {
      await endOwnSession(work, params.sessionId)
      return { success: true }
    },
  }),
]
