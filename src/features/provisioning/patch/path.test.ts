import { expect, test } from 'vitest'
import { ENTERPRISE_USER_SCHEMA, groupType, userType } from '../language/core-schemas.ts'
import { ScimLanguageError } from '../language/error.ts'
import { locateAttribute } from '../language/schema.ts'
import { parsePath } from './path.ts'

const place = (path: string) => {
  const { urn, name, sub } = locateAttribute(userType, parsePath(path).attribute)
  return [urn, name, sub]
}

test.each([
  ['members', [null, 'members', null]],
  ['USERNAME', [null, 'userName', null]],
  ['Name.FAMILYNAME', [null, 'name', 'familyName']],
  ['favourite.Colour', [null, 'favourite', 'Colour']],
  [`${userType.schema.id}:Name.givenName`, [null, 'name', 'givenName']],
  [`${ENTERPRISE_USER_SCHEMA.toLowerCase()}:Department`, [ENTERPRISE_USER_SCHEMA, 'department', null]],
  [`${ENTERPRISE_USER_SCHEMA}:manager.DisplayName`, [ENTERPRISE_USER_SCHEMA, 'manager', 'displayName']],
  [ENTERPRISE_USER_SCHEMA.toUpperCase(), [ENTERPRISE_USER_SCHEMA, null, null]],
  ['urn:acme:1.0:User:badge', ['urn:acme:1.0:User', 'badge', null]],
  ['urn:acme:ext:2.0', ['urn:acme:ext', '2.0', null]],
  ['emails[type eq "work"].VALUE', [null, 'emails', 'value']],
  ['addresses[type eq "work"]', [null, 'addresses', null]],
])('the path %s', (path, expected) => {
  expect(place(path)).toEqual(expected)
})

test('the filter of a path', () => {
  expect(parsePath('members[value eq "2819"]').filter).toEqual({
    kind: 'compare',
    attribute: { urn: null, name: 'value', sub: null },
    operator: 'eq',
    value: '2819',
  })
})

test.each([
  ['', 'invalidPath'],
  [' members', 'invalidPath'],
  ['members ', 'invalidPath'],
  ['a.b.c', 'invalidPath'],
  ['a b', 'invalidPath'],
  ['/members', 'invalidPath'],
  ['members[value eq "1"', 'invalidFilter'],
  ['members[value eq 1', 'invalidFilter'],
  ['members[]', 'invalidFilter'],
  ['members[value is "1"]', 'invalidFilter'],
  ['members[value eq "1"]x', 'invalidPath'],
  ['members[value eq "1"].', 'invalidPath'],
  ['members[value eq "1"].a.b', 'invalidPath'],
  ['members[value eq "1"] .a', 'invalidPath'],
  ['members.value[a pr]', 'invalidPath'],
  ['__proto__', 'invalidPath'],
  ['__proto__.polluted', 'invalidPath'],
  ['constructor.prototype', 'invalidPath'],
  ['emails[type eq "work"].__proto__', 'invalidPath'],
  ['emails[__proto__ pr]', 'invalidFilter'],
  ['urn:', 'invalidPath'],
  ['urn:a', 'invalidPath'],
  ['x'.repeat(3_000), 'invalidPath'],
])('the path %s: %s', (path, scimType) => {
  expect(() => parsePath(path)).toThrow(ScimLanguageError)
  expect(() => parsePath(path)).toThrow(expect.objectContaining({ scimType }))
})

test('the schemas say of each attribute what RFC 7643 §7 asks', () => {
  const all = [
    ...userType.schema.attributes,
    ...groupType.schema.attributes,
    ...(userType.extensions[0]?.attributes ?? []),
  ]
  const flat = all.flatMap((attribute) => [attribute, ...(attribute.subAttributes ?? [])])
  for (const attribute of flat) expect(attribute.description).toMatch(/\.$/)
  expect(all.map((attribute) => attribute.name)).toEqual([
    ...[
      'userName',
      'name',
      'displayName',
      'nickName',
      'profileUrl',
      'title',
      'userType',
      'preferredLanguage',
      'locale',
    ],
    ...['timezone', 'active', 'emails', 'phoneNumbers', 'ims', 'photos', 'addresses', 'groups'],
    ...['entitlements', 'roles', 'x509Certificates', 'displayName', 'members', 'employeeNumber', 'costCenter'],
    ...['organization', 'division', 'department', 'manager'],
  ])
  const differing = (key: 'required' | 'mutability' | 'returned' | 'uniqueness' | 'multiValued', usual: unknown) =>
    all.filter((attribute) => attribute[key] !== usual).map((attribute) => attribute.name)
  expect(differing('required', false)).toEqual(['userName', 'displayName'])
  expect(differing('mutability', 'readWrite')).toEqual(['groups'])
  expect(differing('returned', 'default')).toEqual([])
  expect(differing('uniqueness', 'none')).toEqual(['userName', 'displayName'])
  expect(flat.filter((attribute) => attribute.caseExact)).toEqual([])
})
