import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { tagOf } from '../../../platform/http/precondition.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { showSuppression } from '../../../platform/mail/bounces/bounces.ts'
import { directoryOfOrganization } from '../../../platform/tenancy/directory.ts'
import { namedOrganization } from '../../../platform/tenancy/named-organization.ts'
import { countAddressNotice, createUser, getUserInReach, listUsers } from './administration.ts'
import { BulkCreate, BulkReply, createUsers } from './bulk/bulk.ts'
import { changeUser, deleteUser, moveUser, restoreDeleted } from './changes/changes.ts'
import { userErrors } from './errors.ts'
import { userEvents } from './events.ts'
import { userPosition } from './list-store.ts'
import {
  MoveUser,
  toUser,
  UserCreate,
  UserDelete,
  UserFilters,
  UserListReply,
  UserParams,
  UserPatch,
  UserReply,
  UserRestore,
  UserView,
} from './schema.ts'

const tag = 'Users'
const MIB = 1024 * 1024

/** Errors of a change or a move of a user. */
const changeErrors = [userErrors.notFound, userErrors.emailExists, userErrors.externalIdTaken, userErrors.scimManaged]

const listRoute = defineRoute({
  method: 'GET',
  path: '/v1/users',
  operation: 'users.list',
  scope: 'users.read',
  directory: 'reach',
  tag,
  summary: 'List users',
  description:
    'Lists the users of one organization. With an org-wide key (not limited to one organization) and without `subOrgId`, lists the users of the whole environment.',
  query: Type.Object({ ...UserFilters, ...listQuery }),
  reply: UserListReply,
  async handle(work, { query }) {
    const page = readPage(work.platform, '/v1/users', query, query.updatedSince === undefined ? 'age' : 'change')
    const { rows, reply } = finishPage(work, page, await listUsers(work, query, page), userPosition(query))
    return { users: rows.map((row) => toUser(row, row.organization_id)), ...reply }
  },
})

const createRoute = (assigned: EventDefinition): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/users',
    operation: 'users.create',
    scope: 'users.write',
    tag,
    summary: 'Create a user',
    description:
      'Without `role` and `roleIds`, the user gets the role `member`. Sending `role` or `roleIds` requires the same scope and service as assigning roles.',
    body: UserCreate,
    reply: UserReply,
    errors: [
      userErrors.emailExists,
      userErrors.externalIdTaken,
      httpErrors.privilegeEscalation,
      httpErrors.serviceDisabled,
    ],
    event: userEvents.created,
    maybeEvents: [assigned],
    etag: true,
    async handle(work, { body }) {
      const user = await createUser(work, body)
      work.headers.etag = tagOf(user)
      return { user: toUser(user, work.directory.organizationId) }
    },
  })

const createManyRoute = (assigned: EventDefinition): Route =>
  defineRoute({
    method: 'PUT',
    path: '/v1/users',
    operation: 'users.createMany',
    scope: 'users.write',
    tag,
    summary: 'Create many users',
    description:
      'Creates at most 500 users, sent as objects or as text. The response contains the outcome of each user, in order. A row that fails, for example because the caller may not assign its roles, does not affect other rows. The body may have up to 5 MiB.',
    body: BulkCreate,
    bodyLimit: 5 * MIB,
    reply: BulkReply,
    errors: [userErrors.tooManyUsers],
    maybeEvents: [userEvents.created, assigned],
    examples: {
      body: {
        users: [
          { email: 'ada@acme.example', firstName: 'Ada', lastName: 'Lovelace' },
          { email: 'grace@acme.example', displayName: 'Grace Hopper' },
          { email: 'not an address' },
        ],
      },
    },
    handle: (work, { body }) => createUsers(work, body),
  })

const getRoute = defineRoute({
  method: 'GET',
  path: '/v1/users/{userId}',
  operation: 'users.get',
  scope: 'users.read',
  directory: 'reach',
  tag,
  summary: 'Read a user',
  params: UserParams,
  reply: UserView,
  errors: [userErrors.notFound],
  etag: true,
  async handle(work, { params }) {
    const user = await getUserInReach(work, params.userId)
    work.headers.etag = tagOf(user)
    return { user: toUser(user, user.organization_id), email_suppression: await showSuppression(work, user) }
  },
})

interface OtherEvents {
  /** Events of rows that end with a change of their user. */
  announced: EventDefinition[]
  /** The event of a role that a new user gets. */
  assigned: EventDefinition
}

export function userRoutes({ announced, assigned }: OtherEvents): Route[] {
  return [
    listRoute,
    createRoute(assigned),
    createManyRoute(assigned),
    getRoute,
    changeRoute(announced),
    deleteRoute(announced),
    restoreRoute,
    moveRoute(announced),
  ]
}

function changeRoute(announced: EventDefinition[]): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/v1/users/{userId}',
    operation: 'users.update',
    scope: 'users.write',
    tag,
    summary: 'Change a user',
    description:
      'Omitted fields are not changed, and null clears a field. `active: false` ends every session at once. A new email address must be ' +
      'verified again and ends every session, and the old address is notified.',
    params: UserParams,
    body: UserPatch,
    reply: UserReply,
    errors: [...changeErrors, httpErrors.versionConflict],
    examples: { body: { jobTitle: 'Head of engines', department: 'Engineering' } },
    maybeEvents: [userEvents.updated, userEvents.activated, userEvents.deactivated, userEvents.deleted, ...announced],
    etag: true,
    prepare: (work, { params, body }) => countAddressNotice(work, params.userId, body.email),
    async handle(work, { params, body }) {
      const user = await changeUser(work, params.userId, { patch: body, ifMatch: work.ifMatch })
      work.headers.etag = tagOf(user)
      return { user: toUser(user, work.directory.organizationId) }
    },
  })
}

function deleteRoute(announced: EventDefinition[]): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/users/{userId}',
    operation: 'users.delete',
    scope: 'users.write',
    tag,
    summary: 'Delete a user',
    description:
      'All sessions of the user end, and another user can have the email address immediately. The user can be restored for 30 days and is then erased.',
    params: UserParams,
    query: UserDelete,
    reply: Type.Object({
      ok: Type.Boolean({ description: 'Always `true`. A refused request has an error status instead.' }),
    }),
    errors: [userErrors.notFound, userErrors.scimManaged, httpErrors.versionConflict],
    event: userEvents.deleted,
    maybeEvents: announced,
    async handle(work, { params, query: { force = false } }) {
      await deleteUser(work, params.userId, { ifMatch: work.ifMatch, force })
      return { ok: true }
    },
  })
}

const restoreRoute = defineRoute({
  method: 'POST',
  path: '/v1/users/{userId}/restore',
  operation: 'users.restore',
  scope: 'users.write',
  tag,
  summary: 'Restore a deleted user',
  description:
    'Possible within 30 days of the deletion. Restores ids, profile, second factors and passkeys, and nothing else.',
  params: UserParams,
  body: UserRestore,
  reply: UserReply,
  errors: [userErrors.notFound, userErrors.emailExists, userErrors.externalIdTaken, userErrors.scimManaged],
  maybeEvents: [userEvents.restored, userEvents.deleted],
  etag: true,
  async handle(work, { params, body }) {
    const user = await restoreDeleted(work, params.userId, body)
    work.headers.etag = tagOf(user)
    return { user: toUser(user, work.directory.organizationId) }
  },
})

function moveRoute(announced: EventDefinition[]): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/users/{userId}',
    operation: 'users.move',
    scope: 'users.write',
    tag,
    summary: 'Move a user to another organization',
    description:
      'Moves the user to another organization of the account. Requires a key that reaches both organizations. `subOrgId` is the current organization, and `targetSubOrgId` the new one. The user keeps ids and profile, gets the role `member`, and loses all sessions.',
    params: UserParams,
    body: MoveUser,
    reply: UserReply,
    errors: [...changeErrors, httpErrors.versionConflict],
    maybeEvents: [userEvents.moved, userEvents.deleted, ...announced],
    etag: true,
    async handle(work, { params, body }) {
      const { platform, caller, ifMatch } = work
      const targetId = namedOrganization(caller, { subOrgId: body.targetSubOrgId }, null)
      if (targetId === null) throw httpErrors.organizationNotFound()
      const target = await directoryOfOrganization(platform, caller, targetId)
      const user = await moveUser(work, params.userId, { target, ifMatch, force: body.force ?? false })
      work.headers.etag = tagOf(user)
      return { user: toUser(user, target.organizationId) }
    },
  })
}
