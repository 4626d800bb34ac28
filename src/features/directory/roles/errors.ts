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
    'The connection whose `group_role_mapping` gives it. For `scim`, the connection that provisioning is linked to.',
  ),
})

export const roleErrors = defineErrors({
  notFound: [404, 'role_not_found', 'Role not found', 'There is no such role within the reach of the key.'],
  memberNotFound: [
    404,
    'role_member_not_found',
    'Membership not found',
    'There is no such membership in the organization that the request works on.',
  ],
  exists: [
    409,
    'role_exists',
    'A role of this name exists',
    'Names and slugs are unique within the organization, and those of system roles are taken.',
  ],
  limitReached: [
    409,
    'role_limit_reached',
    'Too many roles',
    'An organization has at most 200 roles of its own. Delete one first.',
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
    'Groups give the role',
    'Groups of the identity provider give a role that the request would remove. Change the groups or the mapping, keep ' +
      'the role in the request, or set `force` to remove it until the next sign-in or sync.',
    { roles: Type.Array(Managed, { description: 'The roles that groups give.' }) },
  ],
})
