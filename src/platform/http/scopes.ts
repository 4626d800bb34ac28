/** What an API key may do. A name is for good: keys in use hold it. */
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
] as const

export type Scope = (typeof scopes)[number]

/** Whether the text is a scope, or a wildcard (`*`, `users.*`) that covers at least one. */
export function isScopePattern(text: string): boolean {
  return scopes.some((scope) => covers(text, scope))
}

/** Whether a granted pattern covers a scope. Writing does not imply reading. */
export function covers(pattern: string, scope: string): boolean {
  if (pattern === '*' || pattern === scope) return true
  return pattern.endsWith('.*') && scope.startsWith(pattern.slice(0, -1))
}

/** Whether every scope that `asked` covers is covered by `granted`: a key mints only a subset of itself. */
export function isSubset(asked: readonly string[], granted: readonly string[]): boolean {
  // A wildcard also covers scopes of later releases, so only the same or a wider wildcard may pass it on.
  return asked.every((pattern) => granted.some((own) => own === pattern || own === '*' || covers(own, pattern)))
}

/** Whether any of the granted patterns covers the scope. */
export function allows(granted: readonly string[], scope: Scope): boolean {
  return granted.some((pattern) => covers(pattern, scope))
}
