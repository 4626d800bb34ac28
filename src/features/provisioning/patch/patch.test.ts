import { describe, expect, test } from 'vitest'
import { ENTERPRISE_USER_SCHEMA, groupType, userType } from '../language/core-schemas.ts'
import type { ScimObject } from '../language/json.ts'
import { applyPatch, readPatch } from './patch.ts'

const ada: ScimObject = {
  id: '2819C223-7F76-453A-919D-413861904646',
  userName: 'ada@acme.com',
  name: { givenName: 'Ada', familyName: 'Byron' },
  emails: [
    { value: 'ada@acme.com', type: 'work', primary: true },
    { value: 'ada@home.org', type: 'home' },
  ],
  active: true,
  groups: [{ value: 'g1', display: 'Eng' }],
}
const [work, home] = [
  { value: 'ada@acme.com', type: 'work', primary: true },
  { value: 'ada@home.org', type: 'home' },
]
const run = (...Operations: object[]) => applyPatch(userType, ada, readPatch({ Operations }))
const add = (path: string | undefined, value: unknown) => ({
  op: 'add',
  ...(path === undefined ? {} : { path }),
  value,
})
const replace = (path: string | undefined, value: unknown) => ({ ...add(path, value), op: 'replace' })
const remove = (path: string, value?: unknown) => ({ op: 'remove', path, ...(value === undefined ? {} : { value }) })

describe('PATCH (RFC 7644 §3.5.2)', () => {
  test.each<[string, object | object[], ScimObject]>([
    ['op in any case', { op: 'Replace', path: 'title', value: 'Dr' }, { title: 'Dr' }],
    ['add: a single value', add('title', 'Dr'), { title: 'Dr' }],
    ['add: replaces a single value', add('userName', 'b@acme.com'), { userName: 'b@acme.com' }],
    ['add: the same again', add('userName', 'ada@acme.com'), {}],
    ['add: without path', add(undefined, { title: 'Dr', nickName: 'A' }), { title: 'Dr', nickName: 'A' }],
    [
      'add: parts of a complex value',
      add('name', { middleName: 'K' }),
      { name: { givenName: 'Ada', familyName: 'Byron', middleName: 'K' } },
    ],
    ['add: to many', add('emails', [{ value: 'x@y.z' }]), { emails: [work, home, { value: 'x@y.z' }] }],
    ['add: one to many', add('emails', { value: 'x@y.z' }), { emails: [work, home, { value: 'x@y.z' }] }],
    ['add: what is there', add('emails', [{ ...home }]), {}],
    [
      'add: a part to all',
      add('emails.display', 'Ada'),
      {
        emails: [
          { ...work, display: 'Ada' },
          { ...home, display: 'Ada' },
        ],
      },
    ],
    [
      'add: primary moves',
      add('emails', [{ value: 'x@y.z', primary: true }]),
      { emails: [{ ...work, primary: false }, home, { value: 'x@y.z', primary: true }] },
    ],
    [
      'add: primary moves to a value',
      add('emails[type eq "home"].primary', true),
      {
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    ['add: null is nothing', add('title', null), {}],
    [
      'add: an extension',
      add(ENTERPRISE_USER_SCHEMA, { department: 'R&D' }),
      { [ENTERPRISE_USER_SCHEMA]: { department: 'R&D' } },
    ],
    ['replace: a single value', replace('title', 'Dr'), { title: 'Dr' }],
    [
      'replace: parts of a complex value',
      replace('name', { givenName: 'A' }),
      { name: { givenName: 'A', familyName: 'Byron' } },
    ],
    ['replace: a part', replace('name.givenName', 'A'), { name: { givenName: 'A', familyName: 'Byron' } }],
    [
      'replace: a part of nothing',
      replace('addresses[type eq "work"].country', 'UK'),
      { addresses: [{ type: 'work', country: 'UK' }] },
    ],
    ['replace: all of many', replace('emails', [home]), { emails: [home] }],
    [
      'replace: those selected',
      replace('emails[type eq "home"]', { value: 'x@y.z' }),
      { emails: [work, { value: 'x@y.z' }] },
    ],
    [
      'replace: a part of those selected',
      replace('emails[value ew ".org"].value', 'x@y.z'),
      { emails: [work, { value: 'x@y.z', type: 'home' }] },
    ],
    ['replace: by null', replace('name', null), { name: null }],
    ['remove: a single value', remove('active'), { active: null }],
    ['remove: what is not there', remove('title'), {}],
    ['remove: many', remove('emails'), { emails: null }],
    ['remove: those selected', remove('emails[type eq "work"]'), { emails: [home] }],
    ['remove: all selected', remove('emails[value pr]'), { emails: null }],
    ['remove: a part', remove('name.givenName'), { name: { familyName: 'Byron' } }],
    [
      'remove: a part of those selected',
      remove('emails[type eq "home"].type'),
      { emails: [work, { value: 'ada@home.org' }] },
    ],
    ['remove: the last part', [remove('name.givenName'), remove('name.familyName')], { name: null }],
    ['schemas are for the service to say', add('schemas', ['urn:x']), {}],
    [
      'names in any case',
      replace('EMAILS[TYPE eq "home"].VALUE', 'x@y.z'),
      { emails: [work, { value: 'x@y.z', type: 'home' }] },
    ],
    [
      'one after another',
      [add('title', 'Dr'), replace('title', 'Prof'), add('nickName', 'A'), remove('nickname')],
      { title: 'Prof' },
    ],
  ])('%s', (_, operations, changed) => {
    const before = structuredClone(ada)
    const expected = Object.fromEntries(Object.entries({ ...ada, ...changed }).filter(([, value]) => value !== null))
    expect(run(...[operations].flat())).toEqual(expected)
    expect(ada).toEqual(before)
  })

  test.each<[string, object | object[], string]>([
    ['remove without path', { op: 'remove' }, 'noTarget'],
    ['remove of what no filter finds', remove('emails[type eq "fax"]'), 'noTarget'],
    ['a filter that says no value', add('emails[type ne "work" and type ne "home"].value', 'x'), 'noTarget'],
    ['id', replace('id', 'x'), 'mutability'],
    ['meta', replace('meta.created', '2026-01-01T00:00:00Z'), 'mutability'],
    ['groups', add('groups', [{ value: 'g2' }]), 'mutability'],
    ['groups.display', replace('groups[value eq "g1"].display', 'x'), 'mutability'],
    ['remove of groups', remove('groups'), 'mutability'],
    ['the name of a manager', replace(`${ENTERPRISE_USER_SCHEMA}:manager.displayName`, 'x'), 'mutability'],
    ['remove of userName', remove('userName'), 'mutability'],
    ['an empty userName', replace('userName', ''), 'invalidValue'],
    ['no userName', replace('userName', null), 'invalidValue'],
    ['a number for a string', replace('title', 5), 'invalidValue'],
    ['an array for a string', replace('title', ['a']), 'invalidValue'],
    ['a string for a boolean', replace('emails[type eq "home"].primary', 'True'), 'invalidValue'],
    ['a word for active', replace('active', 'yes'), 'invalidValue'],
    ['a string for a complex value', replace('name', 'Ada'), 'invalidValue'],
    ['strings for complex values', add('emails', ['x@y.z']), 'invalidValue'],
    [
      'two primary values',
      add('emails', [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ]),
      'invalidValue',
    ],
    ['all primary', replace('emails.primary', true), 'invalidValue'],
    ['add without value', { op: 'add', path: 'title' }, 'invalidValue'],
    ['add without path or object', add(undefined, 'x'), 'invalidValue'],
    [
      'too many values',
      add(
        'emails',
        Array.from({ length: 1_001 }, (_, at) => ({ value: `${at}` })),
      ),
      'invalidValue',
    ],
    ['a null character', add('title', 'a\0b'), 'invalidValue'],
    ['half a character', add('title', '\ud800'), 'invalidValue'],
    ['nothing but depth', add('x', JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`)), 'invalidValue'],
    ['__proto__ as a name', add(undefined, JSON.parse('{"__proto__":{"polluted":1}}')), 'invalidValue'],
    ['__proto__ as a path', add('__proto__.polluted', 1), 'invalidPath'],
    ['constructor as a path', add('constructor', 1), 'invalidPath'],
    ['constructor as an extension', add('urn:a:b:constructor', 1), 'invalidPath'],
    ['a path that is none', add('a b', 1), 'invalidPath'],
    ['a part of a simple value', add('title.x', 1), 'invalidPath'],
    ['a filter on a single value', add('name[givenName eq "Ada"]', {}), 'invalidPath'],
    ['a filter that is none', add('emails[type is "x"]', {}), 'invalidFilter'],
    ['no operations', [], 'invalidSyntax'],
    ['another op', { op: 'move', path: 'title' }, 'invalidSyntax'],
    ['no op', { path: 'title' }, 'invalidSyntax'],
    ['a path that is no string', { op: 'add', path: 5, value: 1 }, 'invalidPath'],
    ['one bad operation of several', [add('title', 'Dr'), remove('userName')], 'mutability'],
    ['1 001 operations', Array.from({ length: 1_001 }, () => add('title', 'x')), 'tooMany'],
  ])('%s: %s', (_, operations, scimType) => {
    expect(() => run(...[operations].flat())).toThrow(expect.objectContaining({ scimType }))
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('a request that compares too much is refused', () => {
    const many = { ...ada, emails: Array.from({ length: 1_000 }, (_, at) => ({ value: `${at}@x.y` })) }
    const Operations = Array.from({ length: 1_000 }, () =>
      replace('emails[value eq "a" or value eq "1@x.y"].display', 'x'),
    )
    expect(() => applyPatch(userType, many, readPatch({ Operations }))).toThrow(
      expect.objectContaining({ scimType: 'tooMany' }),
    )
  })

  test.each([[null], ['x'], [[]], [{}], [{ Operations: {} }], [{ Operations: [5] }]])('%j is no PATCH', (body) => {
    expect(() => readPatch(body)).toThrow(expect.objectContaining({ scimType: 'invalidSyntax' }))
  })
})

describe('what Microsoft Entra and Okta send', () => {
  test.each<[string, object | object[], ScimObject]>([
    ['"False"', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    ['"True" without path', { op: 'Replace', value: { active: 'True' } }, { active: true }],
    [
      'dotted names',
      add(undefined, { 'name.givenName': 'A', 'name.honorificPrefix': 'Dr' }),
      { name: { givenName: 'A', familyName: 'Byron', honorificPrefix: 'Dr' } },
    ],
    [
      'filters as names',
      add(undefined, { 'emails[type eq "home"].value': 'x@y.z' }),
      { emails: [work, { value: 'x@y.z', type: 'home' }] },
    ],
    [
      'URN as a name',
      replace(undefined, { [`${ENTERPRISE_USER_SCHEMA}:department`]: 'R&D' }),
      { [ENTERPRISE_USER_SCHEMA]: { department: 'R&D' } },
    ],
    [
      'an extension as a name',
      replace(undefined, { [ENTERPRISE_USER_SCHEMA]: { department: 'R&D' } }),
      { [ENTERPRISE_USER_SCHEMA]: { department: 'R&D' } },
    ],
    [
      'a manager as a string',
      add(`${ENTERPRISE_USER_SCHEMA}:manager`, '7'),
      { [ENTERPRISE_USER_SCHEMA]: { manager: { value: '7' } } },
    ],
    [
      'a manager with $ref: null',
      add(`${ENTERPRISE_USER_SCHEMA}:manager`, { $ref: null, value: '7' }),
      { [ENTERPRISE_USER_SCHEMA]: { manager: { value: '7' } } },
    ],
    [
      'a manager of nobody',
      [add(`${ENTERPRISE_USER_SCHEMA}:manager`, '7'), replace(`${ENTERPRISE_USER_SCHEMA}:manager`, '')],
      {},
    ],
    [
      'remove of a manager',
      [add(`${ENTERPRISE_USER_SCHEMA}:manager`, '7'), remove(`${ENTERPRISE_USER_SCHEMA}:manager`)],
      {},
    ],
    [
      'a value that is missing',
      add('phoneNumbers[type eq "mobile"].value', '+44'),
      { phoneNumbers: [{ type: 'mobile', value: '+44' }] },
    ],
    [
      'primary as a word',
      add('roles[primary eq "True"].value', 'admin'),
      { roles: [{ primary: true, value: 'admin' }] },
    ],
    ['remove with values', remove('emails', [{ value: 'ada@home.org' }]), { emails: [work] }],
    ['remove with no values', remove('emails', []), {}],
    ['remove with a value nobody has', remove('emails', [{ value: 'x' }]), {}],
    [
      'the id among the values',
      replace(undefined, { id: '2819c223-7f76-453a-919d-413861904646', title: 'Dr' }),
      { title: 'Dr' },
    ],
    [
      'attributes that nobody knows',
      [add('shoeSize', 43), add('badge.colour', 'red'), add('Badge.number', 7)],
      { shoeSize: 43, badge: { colour: 'red', number: 7 } },
    ],
    [
      'an extension that nobody knows',
      add(undefined, { 'urn:acme:1.0:User': { badge: 7 } }),
      { 'urn:acme:1.0:User': { badge: 7 } },
    ],
    [
      'an attribute of one',
      [add('urn:acme:1.0:User:badge', 7), add('urn:acme:1.0:User:shoe', 43), remove('urn:acme:1.0:User:badge')],
      { 'urn:acme:1.0:User': { shoe: 43 } },
    ],
    ['one as a whole', [add('urn:acme:1.0:User:badge', 7), remove('urn:acme:1.0:User')], {}],
  ])('%s', (_, operations, changed) => {
    expect(run(...[operations].flat())).toEqual({ ...ada, ...changed })
  })

  test('a group is renamed with its id among the values', () => {
    const group = { id: 'ABC', displayName: 'Eng' }
    const operations = readPatch({ Operations: [replace(undefined, { id: 'abc', displayName: 'Engineers' })] })
    expect(applyPatch(groupType, group, operations)).toEqual({ id: 'ABC', displayName: 'Engineers' })
  })
})
