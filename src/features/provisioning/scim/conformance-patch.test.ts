import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import {
  addUser,
  answered,
  ENTERPRISE,
  expectRefused,
  patchOf,
  USER,
  withoutMeta,
} from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const tenant = await app.tenant()
const client = await provisioned(app, tenant)
const { call } = client

const home = { value: 'ada@home.example', type: 'home' }
const add = (path: string, value: unknown) => ({ op: 'add', path, value })
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
const remove = (path: string) => ({ op: 'remove', path })

/** A user with values of every kind, in an organization of their own, and the user's work address. */
async function addAda() {
  const client = await provisioned(app, tenant)
  const { call } = client
  const user = await addUser(client, { title: 'Engineer', name: { givenName: 'Ada', familyName: 'Byron' } })
  const work = { value: user.userName, type: 'work', primary: true }
  return { call, work, user: answered(await call('PUT', `/Users/${user.id}`, { ...user, emails: [work, home] })) }
}

type Change = Record<string, unknown>

describe('RFC 7644 §3.5.2', () => {
  test.each<[string, object[], (work: object) => Change]>([
    ['§3.5.2.1: add sets a single value', [add('nickName', 'A')], () => ({ nickName: 'A' })],
    ['§3.5.2.1: add replaces a single value that is there', [add('title', 'CTO')], () => ({ title: 'CTO' })],
    [
      '§3.5.2.1: add without path',
      [{ op: 'add', value: { nickName: 'A', locale: 'en' } }],
      () => ({ nickName: 'A', locale: 'en' }),
    ],
    [
      '§3.5.2.1: add to a complex value keeps its other parts',
      [add('name', { middleName: 'K' })],
      () => ({ name: { givenName: 'Ada', familyName: 'Byron', middleName: 'K' } }),
    ],
    [
      '§3.5.2.1: add appends to many',
      [add('emails', [{ value: 'x@acme.example', type: 'other' }])],
      (work) => ({ emails: [work, home, { value: 'x@acme.example', type: 'other' }] }),
    ],
    ['§3.5.2.1: add of what is there changes nothing', [add('emails', [home]), add('title', 'Engineer')], () => ({})],
    [
      '§3.5.2.1: add of an extension',
      [add(`${ENTERPRISE}:department`, 'R&D')],
      () => ({ [ENTERPRISE]: { department: 'R&D' } }),
    ],
    ['§3.5.2.2: remove of a single value', [remove('title')], () => ({ title: undefined })],
    ['§3.5.2.2: remove of a part', [remove('name.familyName')], () => ({ name: { givenName: 'Ada' } })],
    ['§3.5.2.2: remove of values by a filter', [remove('emails[type eq "home"]')], (work) => ({ emails: [work] })],
    [
      '§3.5.2.2: remove of a part by a filter',
      [remove('emails[type eq "home"].type')],
      (work) => ({ emails: [work, { value: 'ada@home.example' }] }),
    ],
    ['§3.5.2.3: replace of a single value', [replace('title', 'CTO')], () => ({ title: 'CTO' })],
    ['§3.5.2.3: replace sets what is not there', [replace('nickName', 'A')], () => ({ nickName: 'A' })],
    [
      '§3.5.2.3: replace without path',
      [{ op: 'replace', value: { title: 'CTO', nickName: 'A' } }],
      () => ({ title: 'CTO', nickName: 'A' }),
    ],
    [
      '§3.5.2.3: replace of a complex value keeps parts that are not named',
      [replace('name', { givenName: 'A' })],
      () => ({ name: { givenName: 'A', familyName: 'Byron' } }),
    ],
    ['§3.5.2.3: replace of all values', [replace('emails', [home])], () => ({ emails: [home] })],
    [
      '§3.5.2.3: replace of values by a filter',
      [replace('emails[type eq "home"]', { value: 'x@acme.example' })],
      (work) => ({ emails: [work, { value: 'x@acme.example' }] }),
    ],
    [
      '§3.5.2.3: replace of a part by a filter',
      [replace('emails[type eq "home"].value', 'x@acme.example')],
      (work) => ({ emails: [work, { value: 'x@acme.example', type: 'home' }] }),
    ],
    [
      '§3.5.2: one operation sees what the one before did',
      [add('nickName', 'A'), replace('nickName', 'B'), remove('title')],
      () => ({ nickName: 'B', title: undefined }),
    ],
    [
      '§3.5.2: a new primary value takes it from the old one',
      [replace('emails[type eq "home"].primary', true)],
      (work) => ({
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      }),
    ],
    ['§3.10: a path with the URN of the schema', [replace(`${USER}:title`, 'CTO')], () => ({ title: 'CTO' })],
    [
      '§3.10: paths in any case',
      [replace('TITLE', 'CTO'), replace('Name.GIVENNAME', 'A')],
      () => ({ title: 'CTO', name: { givenName: 'A', familyName: 'Byron' } }),
    ],
  ])('%s', async (_, operations, changed) => {
    const { call, user, work } = await addAda()
    const reply = await call('PATCH', `/Users/${user.id}`, patchOf(...operations))
    const expected: Change = { ...withoutMeta(user), ...changed(work) }
    if (expected[ENTERPRISE]) expected['schemas'] = [USER, ENTERPRISE]
    expect(withoutMeta(answered(reply))).toEqual(JSON.parse(JSON.stringify(expected)))
    expect(answered(await call('GET', `/Users/${user.id}`))).toEqual(reply.body)
    const isChanged = Object.keys(changed(work)).length > 0
    expect(reply.body.meta.version === user.meta.version).toBe(!isChanged)
    expect(reply.headers.get('etag')).toBe(reply.body.meta.version)
  })

  test.each<[string, object[], string]>([
    ['§3.5.2.2: remove without a path', [{ op: 'remove' }], 'noTarget'],
    ['§3.5.2.2: remove of what no value matches', [remove('emails[type eq "fax"]')], 'noTarget'],
    ['§3.5.2.2: remove of what is required', [remove('userName')], 'mutability'],
    ['§3.5.2: what is read-only', [replace('id', 'x')], 'mutability'],
    ['§3.5.2: what is read-only, by a part', [replace('meta.created', '2026-01-01T00:00:00Z')], 'mutability'],
    ['RFC 7643 §4.1.2: groups are changed at the groups', [add('groups', [{ value: 'x' }])], 'mutability'],
    ['§3.5.2: a path that is none', [replace('emails[', 'x')], 'invalidFilter'],
    ['§3.5.2: a path of nothing', [replace('a..b', 'x')], 'invalidPath'],
    ['§3.5.2: a filter that is none', [replace('emails[type is "x"].value', 'x')], 'invalidFilter'],
    ['§3.5.2: a value of another type', [replace('active', 'maybe')], 'invalidValue'],
    ['§3.5.2: an object for a string', [replace('title', { a: 1 })], 'invalidValue'],
    ['§3.5.2.1: add without a value', [{ op: 'add', path: 'title' }], 'invalidValue'],
    ['§3.5.2: no userName', [replace('userName', null)], 'invalidValue'],
    ['§3.5.2: an operation nobody knows', [{ op: 'move', path: 'title', value: 'x' }], 'invalidSyntax'],
    ['§3.5.2: more than 1 000 operations', Array.from({ length: 1_001 }, () => replace('title', 'x')), 'tooMany'],
    ['1.9 #87: __proto__ as a path', [add('__proto__.polluted', 'x')], 'invalidPath'],
    ['1.9 #87: constructor as a path', [add('constructor.prototype', 'x')], 'invalidPath'],
  ])('%s: nothing of the request is done', async (_, operations, scimType) => {
    const { call, user } = await addAda()
    const first = operations.length > 1_000 ? [] : [replace('title', 'CTO')]
    expectRefused(await call('PATCH', `/Users/${user.id}`, patchOf(...first, ...operations)), 400, scimType)
    expect(answered(await call('GET', `/Users/${user.id}`))).toEqual(user)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test.each<[string, unknown]>([
    ['without Operations', {}],
    ['without an operation', { Operations: [] }],
    ['of no objects', { Operations: ['add'] }],
    ['of no array', { Operations: {} }],
  ])('§3.5.2: a PATCH %s is 400 invalidSyntax', async (_, body) => {
    const user = await addUser(client)
    expectRefused(await call('PATCH', `/Users/${user.id}`, body), 400, 'invalidSyntax')
  })

  test('§3.5.2: a name that another user has is 409', async () => {
    const [user, other] = [await addUser(client), await addUser(client)]
    const change = replace('userName', other.userName.toUpperCase())
    expectRefused(await call('PATCH', `/Users/${user.id}`, patchOf(change)), 409, 'uniqueness')
    expect(answered(await call('GET', `/Users/${user.id}`))).toEqual(user)
  })

  test('§3.5.2: attributes says what is answered', async () => {
    const user = await addUser(client)
    const reply = await call('PATCH', `/Users/${user.id}?attributes=nickName`, patchOf(add('nickName', 'A')))
    expect(answered(reply)).toEqual({ schemas: [USER], id: user.id, nickName: 'A' })
  })

  test('1 000 operations are taken', async () => {
    const user = await addUser(client)
    const operations = Array.from({ length: 1_000 }, (_, at) => replace('title', `Engineer ${at}`))
    expect(answered(await call('PATCH', `/Users/${user.id}`, patchOf(...operations))).title).toBe('Engineer 999')
  })
})
