import { type Scope, scopes } from '../../contract/contract.ts'
import { isKnownPermission, type KnownPermission, permissionScopes } from '../../contract/permissions.ts'
import { allows, coversEveryScope, isSubset } from './scopes.ts'

/** The right to give and take away ownership. It is not a permission of the catalogue. */
export const OWNERSHIP = 'members:owner'

/** A right that a caller has or lacks. */
export type Grant = Scope | KnownPermission | typeof OWNERSHIP

/**
 * The rights of a caller. Scopes alone do not decide, because a role may lack a permission that a scope would allow.
 */
export interface Grants {
  /** Whether the caller has the right. */
  has(asked: Grant): boolean
  /** Whether an API key with these scopes has no scope that the caller lacks. For withheld permissions, use `has`. */
  coversScopes(asked: readonly string[]): boolean
  /** The scopes that `GET /v1/api-keys/current` lists. They decide nothing. */
  list(): string[]
}

/**
 * The grants of an API key: its scopes, and the permissions for which these scopes are enough. A wildcard also covers
 * scopes of later releases, so only a key with the wildcard can pass it on. Ownership, and permissions without a
 * scope, need `*`.
 */
export function grantsOfKey(held: readonly string[]): Grants {
  return compileGrants(held, {
    hasEverything: held.includes('*'),
    withheld: [],
    coversScopes: (asked) => isSubset(asked, held),
  })
}

/**
 * The grants of a role: its scopes, except what is withheld from it. A role with every scope also has the permissions
 * without a scope, and covers every wildcard.
 */
export function grantsOfRole(held: readonly Scope[], withheld: readonly Grant[]): Grants {
  return compileGrants(held, {
    hasEverything: scopes.every((scope) => held.includes(scope)),
    withheld,
    coversScopes: (asked) => coversEveryScope(asked, held),
  })
}

interface Rules {
  /** Whether permissions that no scope allows are included. */
  hasEverything: boolean
  withheld: readonly Grant[]
  coversScopes: Grants['coversScopes']
}

function compileGrants(held: readonly string[], { hasEverything, withheld, coversScopes }: Rules): Grants {
  const hasRight = (asked: Grant): boolean => {
    if (asked === OWNERSHIP) return hasEverything
    const scope = isKnownPermission(asked) ? permissionScopes[asked] : asked
    return scope === null ? hasEverything : allows(held, scope)
  }
  return {
    has: (asked) => !withheld.includes(asked) && hasRight(asked),
    coversScopes,
    list: () => [...held],
  }
}
