import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'
import { nullable } from '../../../platform/schema.ts'

const Managed = Type.Object({
  role: Type.String({ description: '`admin`, or the slug of a role of the organization.', examples: ['admin'] }),
  source: Type.Enum(['sso', 'scim'], {
    description: 'Where the role comes from: groups of a sign-in (`sso`) or provisioned groups (`scim`).',
  }),
  connectionId: nullable(
    Type.String({ format: 'uuid' }),
    'The connection whose `group_role_mapping` gives the role. For `scim`: the connection that provisioning is linked to.',
  ),
})

export const roleErrors = defineErrors({
  notFound: [404, 'role_not_found', 'Role not found', 'No role has this id or slug, or the caller cannot reach it.'],
  memberNotFound: [
    404,
    'role_member_not_found',
    'Membership not found',
    'The organization of the request has no membership with this id.',
  ],
  exists: [
    409,
    'role_exists',
    'A role with this name exists',
    'The names and slugs of roles are unique within the organization. A role’s name and slug must also be different from those of every system role.',
  ],
  limitReached: [
    409,
    'role_limit_reached',
    'Too many roles',
    'An organization can create at most 200 roles. Delete one first.',
  ],
  systemRole: [
    403,
    'system_role',
    'A system role cannot be changed',
    'System roles are the same in every organization. Create your own role with the permissions that you need.',
  ],
  managed: [
    409,
    'role_managed',
    'The role comes from groups',
    'The request would remove a role that the user has through groups at the identity provider. Keep the role in the request, or change the groups or their mapping. To remove the role only until the next sign-in or sync, set `force`.',
    { roles: Type.Array(Managed, { description: 'The roles that groups give.' }) },
  ],
})
