import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, listReply, readPage } from '../../../platform/http/pagination.ts'
import { tagOf } from '../../../platform/http/precondition.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { RevokedCount, Success } from '../../../platform/schema.ts'
import {
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  sessionErrors,
  sessionEvents,
  toSession,
} from '../../access/sessions/sessions.ts'
import { changeUser, getUser, userErrors, userEvents } from '../../directory/users/users.ts'
import { linkErrors, PresentedLinkBody } from '../../sign-in/links/links.ts'
import { ownEmailRoutes } from './email-routes.ts'
import { meEvents } from './events.ts'
import { ownFactorRoutes } from './factor-routes.ts'
import { defineOwnRoute } from './own-route.ts'
import { ownPasskeyRoutes } from './passkey-routes.ts'
import { ownPasswordRoutes } from './password-routes.ts'
import { MePatch, MeReply, OwnSession, toMe } from './schema.ts'
import { stepUpRoutes } from './step-up-routes.ts'
import { undoEmailChange, undoEmailEvents } from './undo-email.ts'

const profile: Route[] = [
  defineOwnRoute({
    method: 'GET',
    path: '/v1/me',
    operation: 'me.get',
    summary: 'Read one’s own profile',
    reply: MeReply,
    etag: true,
    async handle(work) {
      const user = await getUser(work, work.caller.directoryUserId)
      work.headers.etag = tagOf(user)
      return { user: await toMe(work, user) }
    },
  }),
  defineOwnRoute({
    method: 'PATCH',
    path: '/v1/me',
    operation: 'me.update',
    summary: 'Change one’s own profile',
    description: 'Absent fields are kept, null clears. The phone is not verified by that.',
    body: MePatch,
    reply: MeReply,
    errors: [userErrors.scimManaged, httpErrors.versionConflict],
    maybeEvents: [userEvents.updated],
    examples: { body: { displayName: 'Ada L.' } },
    etag: true,
    async handle(work, { body }) {
      const user = await changeUser(work, work.caller.directoryUserId, { patch: body, ifMatch: work.ifMatch })
      work.headers.etag = tagOf(user)
      return { user: await toMe(work, user) }
    },
  }),
]

const sessions: Route[] = [
  defineOwnRoute({
    method: 'GET',
    path: '/v1/me/sessions',
    operation: 'me.sessions.list',
    service: 'sessions',
    summary: 'List one’s own live sessions',
    query: Type.Object(listQuery),
    reply: Type.Object({ sessions: Type.Array(OwnSession), ...listReply }),
    async handle(work, { query }) {
      const page = readPage(work.platform, '/v1/me/sessions', query)
      const { rows, reply } = finishPage(work, page, await listOwnSessions(work, page), byAge)
      const current = work.caller.sessionId
      return { sessions: rows.map((row) => ({ ...toSession(row), current: row.id === current })), ...reply }
    },
  }),
  defineOwnRoute({
    method: 'DELETE',
    path: '/v1/me/sessions',
    operation: 'me.sessions.endOthers',
    summary: 'End all of one’s sessions but the present one',
    reply: Type.Object({ success: Type.Boolean(), revoked: RevokedCount }),
    maybeEvents: [sessionEvents.revoked],
    handle: async (work) => ({ success: true, revoked: await endOtherSessions(work) }),
  }),
  defineOwnRoute({
    method: 'DELETE',
    path: '/v1/me/sessions/{sessionId}',
    operation: 'me.sessions.end',
    summary: 'End one of one’s own sessions',
    description: 'The present one, too. Idempotent: ending a session that has already ended succeeds.',
    params: Type.Object({ sessionId: Type.String() }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [sessionErrors.notFound],
    maybeEvents: [sessionEvents.revoked],
    async handle(work, { params }) {
      await endOwnSession(work, params.sessionId)
      return { success: true }
    },
  }),
]

/** What the customer's backend calls for somebody who came by a mailed link. */
export const undoRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/auth/email/undo',
    operation: 'auth.undoEmailChange',
    scope: 'auth.login',
    service: 'auth',
    tag: 'Authentication',
    summary: 'Undo a person’s change of their address with a mailed link',
    description: 'The old address is theirs again. Every session ends, and every link on its way.',
    body: PresentedLinkBody,
    reply: Success,
    errors: [
      ...Object.values(linkErrors),
      userErrors.emailExists,
      userErrors.scimManaged,
      httpErrors.organizationSuspended,
    ],
    event: meEvents.emailRestored,
    maybeEvents: undoEmailEvents.filter((event) => event !== meEvents.emailRestored),
    async handle(work, { body }) {
      await undoEmailChange(work, { email: body.email, token: body.token_hash })
      return { success: true }
    },
  }),
]

/** The routes that people call about themselves. */
export const ownRoutes: Route[] = [
  ...profile,
  ...sessions,
  ...stepUpRoutes,
  ...ownPasswordRoutes,
  ...ownEmailRoutes,
  ...ownFactorRoutes,
  ...ownPasskeyRoutes,
]
