import { Type } from 'typebox'
import { httpErrors } from '../../platform/errors.ts'
import { directoryOfOrganization, namedOrganization } from '../../platform/http/directory.ts'
import { byAge, finishPage, listQuery, readPage } from '../../platform/http/pagination.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { revokeUserSessions } from '../sessions/sessions.ts'
import { createUsers } from './bulk.ts'
import { changeUser, deleteUser, moveUser, userTag } from './changes.ts'
import { userErrors } from './errors.ts'
import {
  BulkCreate,
  BulkReply,
  MoveUser,
  toUser,
  UserCreate,
  UserFilters,
  UserListReply,
  UserParams,
  UserPatch,
  UserReply,
} from './schema.ts'
import { createUser, getUser, getUserInReach, listUsers } from './users.ts'

const tag = 'Users'
const MIB = 1024 * 1024

export const userRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/users',
    scope: 'users.read',
    directory: 'reach',
    tag,
    summary: 'List users',
    description:
      'Of one organization, or with an org-wide key and no `subOrgId` of the whole environment. `q` finds by how the ' +
      'e-mail address or the display name begins, in any case.',
    query: Type.Object({ ...UserFilters, ...listQuery }),
    reply: UserListReply,
    async handle(work, { query }) {
      const page = readPage(work.platform, '/v1/users', query)
      const { rows, reply } = finishPage(work, page, await listUsers(work, query, page), byAge)
      return { users: rows.map((row) => toUser(row, row.organization_id)), ...reply }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users',
    scope: 'users.write',
    tag,
    summary: 'Create a user',
    body: UserCreate,
    reply: UserReply,
    errors: [userErrors.emailExists],
    event: 'user.created',
    async handle(work, { body }) {
      const user = await createUser(work, body)
      work.headers.etag = userTag(user)
      return { user: toUser(user, work.directory.organizationId) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/users',
    scope: 'users.write',
    tag,
    summary: 'Create many users',
    description:
      'At most 500, as objects or as text, and what became of each, in order: one that fails never fails another. ' +
      'The body may have 5 MiB.',
    body: BulkCreate,
    bodyLimit: 5 * MIB,
    reply: BulkReply,
    errors: [userErrors.tooManyUsers],
    maybeEvents: ['user.created'],
    handle: (work, { body }) => createUsers(work, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/users/{userId}',
    scope: 'users.read',
    directory: 'reach',
    tag,
    summary: 'Read a user',
    params: UserParams,
    reply: UserReply,
    errors: [userErrors.notFound],
    async handle(work, { params }) {
      const user = await getUserInReach(work, params.userId)
      work.headers.etag = userTag(user)
      return { user: toUser(user, user.organization_id) }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/users/{userId}',
    scope: 'users.write',
    tag,
    summary: 'Change a user',
    description:
      'Absent fields stay, null clears. `active: false` ends every session at once. A new e-mail address has to be ' +
      'verified again, ends every session, and is told to the old address.',
    params: UserParams,
    body: UserPatch,
    reply: UserReply,
    errors: [userErrors.notFound, userErrors.emailExists, httpErrors.versionConflict],
    maybeEvents: ['user.updated', 'user.activated', 'user.deactivated', 'session.revoked'],
    async handle(work, { params, body }) {
      const user = await changeUser(work, params.userId, { patch: body, ifMatch: work.ifMatch })
      work.headers.etag = userTag(user)
      return { user: toUser(user, work.directory.organizationId) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/users/{userId}',
    scope: 'users.write',
    tag,
    summary: 'Delete a user',
    description:
      'Every session ends and the e-mail address is free at once. The record is kept for 30 days, out of reach.',
    params: UserParams,
    reply: Type.Object({ ok: Type.Boolean() }),
    errors: [userErrors.notFound, httpErrors.versionConflict],
    event: 'user.deleted',
    maybeEvents: ['session.revoked'],
    async handle(work, { params }) {
      await deleteUser(work, params.userId, { ifMatch: work.ifMatch })
      return { ok: true }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}',
    scope: 'users.write',
    tag,
    summary: 'Move a user to another organization',
    description:
      'Of the same account, with a key that reaches both; `subOrgId` names the present one. The ids and the profile ' +
      'stay, the role becomes member, and every session ends.',
    params: UserParams,
    body: MoveUser,
    reply: UserReply,
    errors: [userErrors.notFound, userErrors.emailExists, httpErrors.versionConflict],
    maybeEvents: ['user.moved', 'session.revoked'],
    async handle(work, { params, body }) {
      const { platform, principal, ifMatch } = work
      const targetId = namedOrganization(principal, { subOrgId: body.targetSubOrgId }, null)
      if (targetId === null) throw httpErrors.organizationNotFound()
      const target = await directoryOfOrganization(platform, principal, targetId)
      const user = await moveUser(work, params.userId, { target, ifMatch })
      work.headers.etag = userTag(user)
      return { user: toUser(user, target.organizationId) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/users/{userId}/sessions',
    scope: 'sessions.revoke',
    tag,
    summary: 'End every session of a user',
    params: UserParams,
    reply: Type.Object({ success: Type.Boolean(), revoked: Type.Integer() }),
    errors: [userErrors.notFound],
    maybeEvents: ['session.revoked'],
    async handle(work, { params }) {
      const user = await getUser(work, params.userId)
      return { success: true, revoked: await revokeUserSessions(work, user.id, 'revoked') }
    },
  }),
]
