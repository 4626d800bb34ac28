import { defineErrors } from '../../platform/errors.ts'

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
  limitReached: [409, 'role_limit_reached', 'Too many roles', 'An organization has at most 200 roles of its own.'],
  systemRole: [
    403,
    'system_role',
    'A system role cannot be changed',
    'System roles are the same everywhere: make a role of your own with the permissions that you want.',
  ],
})
