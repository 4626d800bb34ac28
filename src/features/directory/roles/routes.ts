import { Type } from 'typebox'
import { httpErrors } from '../../../platform/errors.ts'
import { byAge, finishPage, listQuery, readPage } from '../../../platform/http/pagination.ts'
import { tagOf } from '../../../platform/http/precondition.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { UserParams, userErrors, userEvents } from '../users/users.ts'
import { readMemberRoles, readUserRoles, setMemberRoles, setUserRoles } from './assign.ts'
import { countAssignmentRows, listAssignmentRows } from './assignment-store.ts'
import { checkPermission } from './check.ts'
import { changeRole, createRole, deleteRole, getRole } from './custom.ts'
import { roleErrors } from './errors.ts'
import { roleEvents } from './events.ts'
import { describePermissions, directoryRoles, teamRoles } from './permissions.ts'
import {
  CheckBody,
  CheckReply,
  MemberParams,
  MemberRolesChange,
  MemberRolesChangeReply,
  MemberRolesReply,
  PermissionListReply,
  Preview,
  RoleChangeReply,
  RoleCreate,
  RoleDeleteReply,
  RoleListReply,
  RoleParams,
  RolePatch,
  RoleReply,
  toAssignment,
  toRole,
  UserRolesChange,
  UserRolesChangeReply,
  UserRolesReply,
} from './schema.ts'
import { listRoleRows, listUsedPermissions } from './store.ts'

const about = { tag: 'Roles', service: 'rbac' } as const
const reading = { ...about, scope: 'roles.read', directory: 'reach' } as const
const writing = { ...about, scope: 'roles.write' } as const
const MAX_LISTED = 1000

const { privilegeEscalation } = httpErrors

export const roleRoutes: Route[] = [
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/v1/rbac/roles',
    operation: 'roles.list',
    rows: 'assignments',
    summary: 'List roles and who has them',
    description: 'Returns all roles on every page. Only the assignments are paginated.',
    query: Type.Object(listQuery),
    reply: RoleListReply,
    async handle(work, { query }) {
      const { db, reach } = work
      const page = readPage(work.platform, '/v1/rbac/roles', query)
      const custom = await listRoleRows(db, reach, MAX_LISTED)
      const rows = await listAssignmentRows(db, reach, page)
      const total = page.includeTotal ? await countAssignmentRows(db, reach) : undefined
      const list = finishPage(work, page, { rows, total }, byAge)
      return {
        systemRoles: [...teamRoles],
        directorySystemRoles: [...directoryRoles],
        customRoles: custom.map((row) => toRole(row, row.organization_id)),
        assignments: list.rows.map(toAssignment),
        permissions: describePermissions(custom.flatMap(({ permissions }) => permissions)),
        ...list.reply,
      }
    },
  }),
  defineRoute({
    ...writing,
    method: 'POST',
    path: '/v1/rbac/roles',
    operation: 'roles.create',
    summary: 'Create a role',
    description:
      'A role can contain permissions of the catalogue (`GET /v1/rbac/permissions`) and your own permissions. The scopes of the key must cover the permissions of the catalogue.',
    body: RoleCreate,
    reply: RoleReply,
    errors: [roleErrors.exists, roleErrors.limitReached, privilegeEscalation],
    event: roleEvents.created,
    etag: true,
    async handle(work, { body }) {
      const row = await createRole(work, body)
      work.headers.etag = tagOf(row)
      return { role: toRole(row, work.directory.organizationId) }
    },
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/v1/rbac/roles/{roleId}',
    operation: 'roles.get',
    summary: 'Read a role',
    params: RoleParams,
    reply: RoleReply,
    errors: [roleErrors.notFound],
    etag: true,
    async handle(work, { params }) {
      const { role, version } = await getRole(work, params.roleId)
      work.headers.etag = tagOf({ version: version ?? 1 })
      return { role }
    },
  }),
  defineRoute({
    ...writing,
    method: 'PATCH',
    path: '/v1/rbac/roles/{roleId}',
    operation: 'roles.update',
    summary: 'Change a role',
    description:
      'Omitted fields are not changed. Users and members with the role get the new permissions at once. Their tokens contain the new permissions after the next refresh.',
    params: RoleParams,
    query: Preview,
    body: RolePatch,
    reply: RoleChangeReply,
    errors: [
      roleErrors.notFound,
      roleErrors.systemRole,
      roleErrors.exists,
      httpErrors.versionConflict,
      privilegeEscalation,
    ],
    maybeEvents: [roleEvents.updated],
    etag: true,
    async handle(work, { params, query, body }) {
      const { row, ...effect } = await changeRole(work, params.roleId, { patch: body, preview: query.preview ?? false })
      work.headers.etag = tagOf(row)
      return { role: toRole(row, work.directory.organizationId), ...effect }
    },
  }),
  defineRoute({
    ...writing,
    method: 'DELETE',
    path: '/v1/rbac/roles/{roleId}',
    operation: 'roles.delete',
    summary: 'Delete a role',
    description: 'Users and members lose the role at once.',
    params: RoleParams,
    query: Preview,
    reply: RoleDeleteReply,
    errors: [roleErrors.notFound, roleErrors.systemRole, httpErrors.versionConflict],
    maybeEvents: [roleEvents.deleted],
    async handle(work, { params, query }) {
      return { success: true, ...(await deleteRole(work, params.roleId, { preview: query.preview ?? false })) }
    },
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/v1/rbac/permissions',
    operation: 'roles.listPermissions',
    summary: 'List permissions',
    reply: PermissionListReply,
    handle: async ({ db, reach }) => ({
      permissions: describePermissions(await listUsedPermissions(db, reach)),
    }),
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/v1/rbac/users/{userId}/roles',
    operation: 'roles.getForUser',
    summary: 'Read the roles of a user',
    params: UserParams,
    reply: UserRolesReply,
    errors: [userErrors.notFound],
    handle: (work, { params }) => readUserRoles(work, params.userId),
  }),
  defineRoute({
    ...writing,
    method: 'PUT',
    path: '/v1/rbac/users/{userId}/roles',
    operation: 'roles.setForUser',
    summary: 'Give a user roles',
    description:
      'Replaces the roles of the user. Omitted fields are not changed. A role that the user has through groups of the identity provider must stay in the request. Otherwise the request is refused unless `force` is true.',
    params: UserParams,
    body: UserRolesChange,
    reply: UserRolesChangeReply,
    errors: [userErrors.notFound, roleErrors.managed, privilegeEscalation],
    maybeEvents: [roleEvents.assigned, roleEvents.unassigned, userEvents.updated],
    handle: (work, { params, body }) => setUserRoles(work, params.userId, body),
  }),
  defineRoute({
    ...reading,
    method: 'GET',
    path: '/v1/rbac/members/{membershipId}/roles',
    operation: 'roles.getForMember',
    summary: 'Read the roles of a member',
    params: MemberParams,
    reply: MemberRolesReply,
    errors: [roleErrors.memberNotFound],
    handle: (work, { params }) => readMemberRoles(work, params.membershipId),
  }),
  defineRoute({
    ...writing,
    method: 'PUT',
    path: '/v1/rbac/members/{membershipId}/roles',
    operation: 'roles.setForMember',
    summary: 'Give a member roles',
    description: 'Replaces them.',
    params: MemberParams,
    body: MemberRolesChange,
    reply: MemberRolesChangeReply,
    errors: [roleErrors.memberNotFound, privilegeEscalation],
    maybeEvents: [roleEvents.assigned, roleEvents.unassigned],
    handle: (work, { params, body }) => setMemberRoles(work, params.membershipId, body.roleIds),
  }),
  defineRoute({
    // No `service` here: if rbac is off, the response denies the permission instead of refusing the request.
    tag: about.tag,
    scope: reading.scope,
    directory: reading.directory,
    method: 'POST',
    path: '/v1/rbac/check',
    operation: 'roles.check',
    repeatable: true,
    summary: 'Check a permission',
    description:
      'Checks the current permissions of the user. The access token of the user may still contain older permissions.',
    body: CheckBody,
    reply: CheckReply,
    errors: [userErrors.notFound],
    idempotency: false,
    handle: (work, { body }) => checkPermission(work, body),
  }),
]
