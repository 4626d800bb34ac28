import { type Scope, scopes } from '../../contract/contract.ts'

/** Whether the text is a scope, or a wildcard (`*`, `users.*`) that covers at least one. */
export function isScopePattern(text: string): boolean {
  return scopes.some((scope) => covers(text, scope))
}

/** Whether a granted pattern covers a scope. A write scope does not imply the read scope. */
export function covers(pattern: string, scope: string): boolean {
  if (pattern === '*' || pattern === scope) return true
  return pattern.endsWith('.*') && scope.startsWith(pattern.slice(0, -1))
}

/**
 * Whether `granted` covers every scope that `asked` covers. A key can only create keys with a subset of its own
 * scopes.
 */
export function isSubset(asked: readonly string[], granted: readonly string[]): boolean {
  // A wildcard also covers scopes of later releases, so only the same or a wider wildcard may pass it on.
  return asked.every((pattern) => granted.some((own) => own === pattern || own === '*' || covers(own, pattern)))
}

/** Whether `granted` covers every existing scope that `asked` covers. */
export function coversEveryScope(asked: readonly string[], granted: readonly string[]): boolean {
  return scopes.every((scope) => !allows(asked, scope) || allows(granted, scope))
}

/** Whether any of the granted patterns covers the scope. */
export function allows(granted: readonly string[], scope: Scope): boolean {
  return granted.some((pattern) => covers(pattern, scope))
}
