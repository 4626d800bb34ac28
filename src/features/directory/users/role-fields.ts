import { Type } from 'typebox'

const MAX_ROLES_OF_ONE = 50

/** The system role. Every directory user has exactly one. */
export const DirectoryRole = Type.Enum(['admin', 'member'], {
  description:
    'The built-in role of the user. The user has the permissions of this role and of the roles in `roleIds`.',
})

export const FirstRole = Type.Enum(['admin', 'member'], {
  description: 'Default `member`. `role` and `roleIds` also require the scope `roles.write`.',
})

/** Custom roles of the organization in a request. */
export const RoleIds = Type.Array(Type.String({ examples: ['0198b6f2-5d10-7b34-9e2a-6f81c04d7a93'] }), {
  maxItems: MAX_ROLES_OF_ONE,
  description: 'Ids or slugs of roles of the organization.',
})
