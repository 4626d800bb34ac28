import { type Static, Type } from 'typebox'
import { type permissionScopes, permissions } from '../../../contract/permissions.ts'
import { COUNTED, listReply } from '../../../platform/http/pagination.ts'
import { described, named, nullable, ONE_LINE } from '../../../platform/schema.ts'
import { MAX_SLUG, SLUG_PATTERN } from '../../../platform/slug.ts'
import { DirectoryRole, RoleIds } from '../users/new-roles/new-roles.ts'
import type { AssignmentRow, RoleRow } from './store.ts'

/** A permission: a resource and an action. Customers may put more parts in between. */
export const PERMISSION_FORM = /^[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)+$/

const MAX_PERMISSIONS = 500

const ROLE_ID = '0198b6f2-5d10-7b34-9e2a-6f81c04d7a93'
const Id = Type.String({ format: 'uuid' })
const Moment = Type.String({ format: 'date-time' })

const Name = named(
  'RoleName',
  Type.String({
    description: 'Name that administrators see. Unique within the organization.',
    minLength: 1,
    maxLength: 100,
    ...ONE_LINE,
    examples: ['Editor'],
  }),
)
const Slug = Type.String({ examples: ['editor'] })
const Description = named(
  'RoleDescription',
  nullable(
    Type.String({ maxLength: 500, ...ONE_LINE, examples: ['May edit invoices'] }),
    'What the role is for, for administrators. Null: none.',
  ),
)
const Permission = Type.String({
  description: 'A resource and an action, joined by colons, such as `invoice:approve`.',
  maxLength: 128,
  pattern: PERMISSION_FORM.source,
  'x-form': 'words of a-z, 0-9, _ and -, joined by colons, such as invoice:approve',
  examples: ['members:read'],
})
const Permissions = Type.Array(Permission, {
  description: 'Permissions of the catalogue and your own permissions.',
  maxItems: MAX_PERMISSIONS,
  examples: [['members:read', 'invoice:approve']],
})

export const Role = named(
  'Role',
  Type.Object(
    {
      id: Type.String({ description: 'A UUID, or for a system role its slug.', examples: [ROLE_ID] }),
      slug: described(Slug, 'Identifies the role in tokens and in `group_role_mapping`. The slug never changes.'),
      name: Name,
      description: Description,
      permissions: Permissions,
      system: Type.Boolean({
        description: '`true`: the role is built in and cannot be changed or deleted.',
        examples: [false],
      }),
      scope: Type.Enum(['account', 'organization'], {
        description: '`account`: a role of the team. `organization`: a role of directory users and custom roles.',
        examples: ['organization'],
      }),
      subOrgId: nullable(Id, 'The organization that the role belongs to. Null for system roles.'),
      assignmentCount: Type.Integer({
        description: `Number of users and members with the role. For users and for members, the count stops at ${COUNTED.toLocaleString('en')}.`,
        examples: [3],
      }),
      createdAt: nullable(Moment, 'When the record was created (RFC 3339, in UTC). Null for system roles.'),
      updatedAt: nullable(Moment, 'When the record last changed (RFC 3339, in UTC). Null for system roles.'),
    },
    { description: 'A list of permissions that users and team members can have.' },
  ),
)
export type Role = Static<typeof Role>

export const RoleAssignment = named(
  'RoleAssignment',
  Type.Object(
    {
      id: Id,
      userId: nullable(Id, 'Auth account of the user. Null: none yet.'),
      directoryUserId: nullable(Id, 'The user: `id` in `/v1/users`. Null for a member.'),
      membershipId: Object.assign(nullable(Id), { description: 'The team member. Null for a user.', examples: [null] }),
      roleId: Type.String({ description: 'The role: `id` in `/v1/rbac/roles`.', format: 'uuid', examples: [ROLE_ID] }),
      source: Type.Enum(['manual', 'scim', 'sso'], {
        description:
          '`manual`: assigned through the API. `scim` or `sso`: assigned by groups of the identity provider.',
      }),
      createdAt: Moment,
    },
    { description: 'A role that a user or a team member has.' },
  ),
)
export type RoleAssignment = Static<typeof RoleAssignment>

const PermissionInfo = named(
  'Permission',
  Type.Object(
    {
      id: Type.String({
        description: 'Name of the permission: resource and action, joined by a colon.',
        examples: [permissions[0]],
      }),
      known: Type.Boolean({
        description:
          'Whether the permission is in the catalogue. `false`: your own permission, which only your application uses.',
      }),
      scope: nullable(
        Type.String({ examples: ['users.read' satisfies (typeof permissionScopes)['users:read']] }),
        'The scope that gives an API key the same right. Null: only `*` gives it, or the permission is your own.',
      ),
    },
    { description: 'What a role can allow.' },
  ),
)
export type PermissionInfo = Static<typeof PermissionInfo>

export const PermissionListReply = Type.Object({
  permissions: Type.Array(PermissionInfo, { description: 'The catalogue, and other permissions that roles contain.' }),
})

export const RoleListReply = Type.Object({
  systemRoles: Type.Array(Role, { description: 'System roles of the account’s team.' }),
  directorySystemRoles: Type.Array(Role, { description: 'Built-in roles of directory users.' }),
  customRoles: Type.Array(Role, { description: 'Roles that organizations created, at most 1 000.' }),
  assignments: Type.Array(RoleAssignment, {
    description: 'One page of the assignments of custom roles. `has_more` and `next_cursor` refer to this list.',
  }),
  permissions: PermissionListReply.properties.permissions,
  ...listReply,
})

export const RoleParams = Type.Object({
  roleId: Type.String({ description: 'Role: `id` in `GET /v1/rbac/roles`, or the slug of a system role.' }),
})
export const RoleReply = named('RoleReply', Type.Object({ role: Role }))

export const RoleCreate = Type.Object({
  name: Name,
  slug: Type.Optional(
    Type.String({
      maxLength: MAX_SLUG,
      pattern: SLUG_PATTERN,
      description:
        'Identifies the role in tokens and mappings. Default: derived from the name. The slug never changes.',
      examples: ['editor'],
    }),
  ),
  description: Type.Optional(Description),
  permissions: Permissions,
})
export type RoleCreate = Static<typeof RoleCreate>

export const RolePatch = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  permissions: Type.Optional(Permissions),
})
export type RolePatch = Static<typeof RolePatch>

export const Preview = Type.Object({
  preview: Type.Optional(Type.Boolean({ description: 'Changes nothing and returns what would change.' })),
})

const UP_TO_MAXIMUM = `Number of users and members with the role, counted up to ${COUNTED.toLocaleString('en')}.`

const effect = {
  preview: Type.Boolean({
    description: 'Whether this was only a preview, so that nothing has changed.',
    examples: [false],
  }),
  affectedUsers: Type.Integer({ description: UP_TO_MAXIMUM, examples: [2] }),
  affectedMembers: Type.Integer({ description: UP_TO_MAXIMUM, examples: [1] }),
  permissionsAdded: Type.Array(Type.String(), {
    description: 'Permissions that the role gains.',
    examples: [['invoice:approve']],
  }),
  permissionsRemoved: Type.Array(Type.String(), { description: 'Permissions that the role loses.', examples: [[]] }),
}
export interface Effect {
  preview: boolean
  affectedUsers: number
  affectedMembers: number
  permissionsAdded: string[]
  permissionsRemoved: string[]
}

export const RoleChangeReply = Type.Object({ role: Role, ...effect })
export const RoleDeleteReply = Type.Object({ success: Type.Boolean(), ...effect })

export const UserRolesChange = Type.Object({
  roleIds: Type.Optional(RoleIds),
  role: Type.Optional(nullable(DirectoryRole, 'The built-in role. Null: `member`.')),
  force: Type.Optional(
    Type.Boolean({
      description:
        'Also removes roles that the user has through groups. The user gets these roles again at the next sign-in through the connection or at the next sync.',
    }),
  ),
})
export type UserRolesChange = Static<typeof UserRolesChange>

export const MemberParams = Type.Object({
  membershipId: Type.String({ description: 'Team member: `membershipId` in `GET /v1/members`.' }),
})
export const MemberRolesChange = Type.Object({ roleIds: RoleIds })

const held = {
  roleIds: Type.Array(Type.String({ examples: [ROLE_ID] }), {
    description: 'Roles of the user or member, from all sources.',
  }),
  assignments: Type.Array(RoleAssignment, { description: 'Each role with its source.' }),
}
export const UserRolesReply = Type.Object({ ...held, role: DirectoryRole })
export const UserRolesChangeReply = Type.Object({ success: Type.Boolean(), ...held, role: DirectoryRole })
export const MemberRolesReply = Type.Object(held)
export const MemberRolesChangeReply = Type.Object({ success: Type.Boolean(), ...held })

export const CheckBody = Type.Object({
  userId: Type.String({ description: 'The user: `id` or `userId` of the user.', examples: [ROLE_ID] }),
  permission: Permission,
})
export const CheckReply = Type.Object({
  allowed: Type.Boolean({ description: 'Whether the user has the permission and may use it now.', examples: [true] }),
  reason: Type.String({
    description:
      'Why. `role:<slug>`: the role that gives the permission. Otherwise `no_role`, `unknown_permission`, `inactive` (the user may not sign in) or `service_disabled`.',
    examples: ['role:editor'],
  }),
})
export type CheckReply = Static<typeof CheckReply>

export function toRole(row: RoleRow, subOrgId: string | null): Role {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    permissions: row.permissions,
    system: false,
    scope: 'organization',
    subOrgId,
    assignmentCount: row.user_count + row.member_count,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

export function toAssignment(row: AssignmentRow): RoleAssignment {
  return {
    id: row.id,
    userId: row.auth_account_id,
    directoryUserId: row.user_id,
    membershipId: row.membership_id,
    roleId: row.role_id,
    source: row.source,
    createdAt: row.created_at.toISOString(),
  }
}
