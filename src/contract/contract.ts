/**
 * Names of the interface that are stored in keys and configurations: scopes, and services that an organization can turn
 * on and off. They are permanent.
 */
export const scopes = [
  'auth.login',
  'auth.signup',
  'auth.settings.read',
  'auth.settings.write',
  'mfa.read',
  'mfa.write',
  'users.read',
  'users.write',
  'sessions.read',
  'sessions.revoke',
  'otp.settings.read',
  'otp.settings.write',
  'sso.read',
  'sso.write',
  'admin_portal.read',
  'admin_portal.write',
  'sub_orgs.read',
  'sub_orgs.write',
  'members.read',
  'members.write',
  'apps_config.read',
  'apps_config.write',
  'roles.read',
  'roles.write',
  'environments.read',
  'environments.write',
  'scim_config.read',
  'scim_config.write',
  'passkeys.read',
  'passkeys.write',
  'social.read',
  'social.write',
  'webhooks.read',
  'webhooks.manage',
  'audit.read',
  'events.read',
  'api_keys.read',
  'api_keys.manage',
  'impersonate',
  'links.issue',
  'mail.read',
  'mail.write',
] as const

export type Scope = (typeof scopes)[number]

/** The ids of `enabledAppIds` that a route can belong to. */
export type ServiceId =
  | 'auth'
  | 'otp'
  | 'password'
  | 'magic_link'
  | 'social'
  | 'passkeys'
  | 'sso'
  | 'mfa'
  | 'rbac'
  | 'scim'
  | 'webhooks'
  | 'sessions'
  | 'admin_portal'

/** Services that require Auth. */
export const authDependents: readonly ServiceId[] = [
  'otp',
  'password',
  'magic_link',
  'social',
  'passkeys',
  'sso',
  'mfa',
]
