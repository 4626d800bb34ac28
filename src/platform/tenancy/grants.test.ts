import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Scope, scopes } from '../../contract/contract.ts'
import { permissionScopes, permissions } from '../../contract/permissions.ts'
import { type Grant, grantsOfKey, grantsOfRole, OWNERSHIP } from './grants.ts'

// Compares callers of both kinds with any scopes. Tests of their rights over HTTP: api-keys.test.ts,
// escalation.test.ts, team-actions.test.ts.

const nouns = [...new Set(scopes.flatMap((scope) => (scope.includes('.') ? [scope.split('.')[0]] : [])))]
const patterns = ['*', ...nouns.map((noun) => `${noun}.*`), ...scopes]
const anyPatterns = fc.uniqueArray(fc.constantFrom(...patterns), { maxLength: 6 })
const anyScopes = fc.uniqueArray(fc.constantFrom(...scopes))
const allRights: Grant[] = [...scopes, ...permissions, OWNERSHIP]

const covered = (held: readonly string[], scope: Scope) =>
  held.some((one) => one === '*' || one === scope || (one.endsWith('.*') && scope.split('.')[0] === one.slice(0, -2)))

/** The rights that follow from single scopes. */
function rightsOf(held: readonly string[], hasEverything: boolean): Grant[] {
  const ofScopes = scopes.filter((scope) => covered(held, scope))
  const ofPermissions = permissions.filter((permission) => {
    const scope = permissionScopes[permission]
    return scope === null ? hasEverything : covered(held, scope)
  })
  return [...ofScopes, ...ofPermissions, ...(hasEverything ? ([OWNERSHIP] as const) : [])]
}

test('a key has the rights of its scopes; those without a scope need *', () => {
  fc.assert(
    fc.property(anyPatterns, (held) => {
      const grants = grantsOfKey(held)
      expect(allRights.filter(grants.has)).toEqual(rightsOf(held, held.includes('*')))
      expect(grants.list()).toEqual(held)
    }),
  )
  // A list of all scopes gives fewer rights than *.
  expect(allRights.filter((right) => !grantsOfKey(scopes).has(right))).toEqual([
    'billing:read',
    'billing:write',
    OWNERSHIP,
  ])
})

test('a role has the rights of its scopes but for what is withheld', () => {
  const withheldSets = fc.uniqueArray(fc.constantFrom<Grant>(...permissions, OWNERSHIP))
  fc.assert(
    fc.property(fc.oneof(anyScopes, fc.constant([...scopes])), withheldSets, (held, withheld) => {
      const has = rightsOf(held, held.length === scopes.length).filter((right) => !withheld.includes(right))
      const grants = grantsOfRole(held, withheld)
      expect(allRights.filter(grants.has)).toEqual(has)
      expect(grants.list()).toEqual(held)
    }),
  )
})

test('a key passes on only wildcards of its own, a role each wildcard whose scopes it has', () => {
  fc.assert(
    fc.property(anyPatterns, anyPatterns, (held, asked) => {
      const isWithin = (one: string) =>
        held.includes('*') || held.includes(one) || scopes.some((scope) => scope === one && covered(held, scope))
      expect(grantsOfKey(held).coversScopes(asked)).toBe(asked.every(isWithin))
      const ofRole = scopes.filter((scope) => covered(held, scope))
      const lacking = scopes.filter((scope) => covered(asked, scope) && !covered(ofRole, scope))
      expect(grantsOfRole(ofRole, []).coversScopes(asked)).toBe(lacking.length === 0)
    }),
  )
})
