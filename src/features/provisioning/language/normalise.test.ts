import { expect, test } from 'vitest'
import { ENTERPRISE_USER_SCHEMA, groupType, userType } from './core-schemas.ts'
import { normaliseResource, schemasOf } from './normalise.ts'

const user = (body: object) => normaliseResource(userType, { userName: 'ada', ...body })
const parsed = (json: string): object => JSON.parse(json)

test.each<[string, object, object]>([
  [
    'names in any case',
    { DISPLAYNAME: 'A', Name: { GIVENNAME: 'Ada' } },
    { displayName: 'A', name: { givenName: 'Ada' } },
  ],
  ['what is read-only goes', { id: '7', meta: { version: 'x' }, groups: [{ value: 'g' }] }, {}],
  ['schemas go', { schemas: ['urn:x'], SCHEMAS: null }, {}],
  ['null and nothing are the same', { title: null, emails: [], name: { givenName: null }, ims: [{}], x: null }, {}],
  ['one value for many', { emails: { value: 'a@b' } }, { emails: [{ value: 'a@b' }] }],
  ['active as a word', { active: 'False' }, { active: false }],
  [
    'unknown attributes',
    { shoeSize: 43, x: { y: [1] }, emails: [{ value: 'a', z: 1 }] },
    { shoeSize: 43, x: { y: [1] }, emails: [{ value: 'a', z: 1 }] },
  ],
  [
    'an extension',
    { [ENTERPRISE_USER_SCHEMA.toUpperCase()]: { Department: 'R&D', manager: '7', badge: 1 } },
    { [ENTERPRISE_USER_SCHEMA]: { department: 'R&D', manager: { value: '7' }, badge: 1 } },
  ],
  [
    'a manager without name',
    { [ENTERPRISE_USER_SCHEMA]: { manager: { value: '7', $ref: null, displayName: 'x' } } },
    { [ENTERPRISE_USER_SCHEMA]: { manager: { value: '7' } } },
  ],
  ['unknown extensions', { 'urn:acme:1.0:User': { badge: 7 } }, { 'urn:acme:1.0:User': { badge: 7 } }],
  ['a password', { password: 'secret' }, { password: 'secret' }],
  ['the URN of the core schema', { [`${userType.schema.id}:title`]: 'Dr' }, { title: 'Dr' }],
])('%s', (_, body, expected) => {
  expect(user(body)).toEqual({ userName: 'ada', ...expected })
})

test.each<[string, object]>([
  ['no userName', { userName: undefined }],
  ['an empty userName', { userName: ' ' }],
  ['a number', { userName: 5 }],
  ['twice', { USERNAME: 'b' }],
  ['a part twice', { name: { givenName: 'a', GivenName: 'b' } }],
  ['another boolean', { active: 1 }],
  ['a string for many', { emails: 'a@b' }],
  ['an array for one', { title: ['a'] }],
  ['an object for a string', { title: {} }],
  ['a string for an object', { name: 'Ada' }],
  ['a string for an extension', { [ENTERPRISE_USER_SCHEMA]: 'x' }],
  ['schemas of no array', { schemas: 'urn:x' }],
  ['schemas of numbers', { schemas: [1] }],
  [
    'two primary',
    {
      emails: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    },
  ],
  ['no Base64', { x509Certificates: [{ value: 'ä' }] }],
  ['__proto__', parsed('{"__proto__":{"polluted":1}}')],
  ['__proto__ below', parsed('{"x":{"__proto__":{"polluted":1}}}')],
  ['constructor', parsed('{"x":[{"constructor":{"prototype":{"polluted":1}}}]}')],
  ['depth', { x: parsed(`${'['.repeat(20)}${']'.repeat(20)}`) }],
  ['many values', { x: Array.from({ length: 100_001 }, () => 0) }],
  ['many elements', { emails: Array.from({ length: 1_001 }, () => ({ value: 'a' })) }],
  ['much text', { x: 'x'.repeat(2_000_001) }],
  ['a null character', { x: 'a\0' }],
  ['a null character in a name', { 'x\0': 'a' }],
  ['half a character', { title: '\udc00' }],
])('refused: %s', (_, body) => {
  expect(() => user(body)).toThrow(expect.objectContaining({ scimType: 'invalidValue' }))
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test.each([[null], [[]], ['x'], [undefined]])('%j is no resource', (body) => {
  expect(() => normaliseResource(userType, body)).toThrow(expect.objectContaining({ scimType: 'invalidSyntax' }))
})

test('a group may have more members than an attribute has values', () => {
  const members = Array.from({ length: 10_000 }, (_, at) => ({ value: `${at}` }))
  expect(normaliseResource(groupType, { displayName: 'Eng', members })['members']).toHaveLength(10_000)
  expect(() => normaliseResource(groupType, { members })).toThrow('displayName is required.')
})

test('the schemas of a resource', () => {
  const resource = user({
    title: 'Dr',
    [ENTERPRISE_USER_SCHEMA]: { department: 'R&D' },
    'urn:acme:1.0:User': { badge: 7 },
  })
  expect(schemasOf(userType, resource)).toEqual([userType.schema.id, ENTERPRISE_USER_SCHEMA, 'urn:acme:1.0:User'])
})
