import type { Scope } from './contract.ts'

/**
 * The built-in permissions, each with the API scope that allows the same. Null: only `*` allows it. Built-in
 * permissions are never renamed or removed. Customers can define more.
 */
export const permissionScopes = {
  'users:read': 'users.read',
  'users:write': 'users.write',
  'users:delete': 'users.write',
  'users:invite': 'users.write',
  'users:impersonate': 'impersonate',
  'members:read': 'members.read',
  'members:write': 'members.write',
  'members:remove': 'members.write',
  'organizations:read': 'sub_orgs.read',
  'organizations:write': 'sub_orgs.write',
  'organizations:archive': 'sub_orgs.write',
  'roles:read': 'roles.read',
  'roles:write': 'roles.write',
  'roles:assign': 'roles.write',
  'sso:read': 'sso.read',
  'sso:write': 'sso.write',
  'scim:read': 'scim_config.read',
  'scim:write': 'scim_config.write',
  'domains:read': 'admin_portal.read',
  'domains:write': 'admin_portal.write',
  'mfa:read': 'mfa.read',
  'mfa:write': 'mfa.write',
  'passkeys:read': 'passkeys.read',
  'passkeys:write': 'passkeys.write',
  'sessions:read': 'sessions.read',
  'sessions:revoke': 'sessions.revoke',
  'webhooks:read': 'webhooks.read',
  'webhooks:manage': 'webhooks.manage',
  'api_keys:read': 'api_keys.read',
  'api_keys:manage': 'api_keys.manage',
  'environments:read': 'environments.read',
  'environments:write': 'environments.write',
  'settings:read': 'auth.settings.read',
  'settings:write': 'auth.settings.write',
  'branding:read': 'admin_portal.read',
  'branding:write': 'admin_portal.write',
  'apps:read': 'apps_config.read',
  'apps:write': 'apps_config.write',
  'audit:read': 'audit.read',
  'audit:export': 'audit.read',
  'billing:read': null,
  'billing:write': null,
} as const satisfies Record<string, Scope | null>

export type KnownPermission = keyof typeof permissionScopes

export const permissions = Object.keys(permissionScopes) as KnownPermission[]

export function isKnownPermission(text: string): text is KnownPermission {
  return Object.hasOwn(permissionScopes, text)
}

const of = (...nouns: string[]) => permissions.filter((id) => nouns.includes(id.slice(0, id.indexOf(':'))))
const without = (all: KnownPermission[], ...left: KnownPermission[]) => all.filter((id) => !left.includes(id))

const reading: KnownPermission[] = ['users:read', 'members:read', 'organizations:read']
const ofAdmins = without(permissions, 'organizations:archive', 'billing:write')
const ofAccount = of('api_keys', 'environments', 'billing')

/** What the system roles of the account's team hold. */
export const teamRolePermissions = {
  owner: permissions,
  admin: ofAdmins,
  developer: [...of('api_keys', 'webhooks', 'environments'), 'settings:read', 'audit:read'],
  member: reading,
} as const satisfies Record<string, readonly KnownPermission[]>

/**
 * The permissions of the system roles of directory users. These permissions apply to an organization, never to the
 * account.
 */
export const directoryRolePermissions = {
  admin: without(ofAdmins, 'users:impersonate', ...ofAccount),
  member: reading,
} as const satisfies Record<string, readonly KnownPermission[]>
