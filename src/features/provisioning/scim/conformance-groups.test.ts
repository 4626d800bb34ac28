import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned, SCIM } from '../../../../test/people/scim.ts'
import {
  addUser,
  answered,
  expectRefused,
  GROUP,
  list,
  MESSAGES,
  patchOf,
  withoutMeta,
} from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const tenant = await app.tenant()
const client = await provisioned(app, tenant)
const { call } = client
const people = await Promise.all(Array.from({ length: 4 }, () => addUser(client)))
const [ada, bob, cleo, dan] = people.map(({ id }) => id)

let made = 0
const addGroup = async (members: string[] = [], more: object = {}) => {
  made += 1
  const body = { displayName: `Group ${made}`, members: members.map((value) => ({ value })), ...more }
  return answered(await call('POST', '/Groups', body), 201)
}
const membersOf = async (id: string) => {
  const { members = [] } = answered(await call('GET', `/Groups/${id}`))
  return members.map(({ value }: { value: string }) => value).toSorted()
}
const patch = (id: string, ...operations: object[]) => call('PATCH', `/Groups/${id}`, patchOf(...operations))
const values = (...ids: (string | undefined)[]) => ids.map((value) => ({ value }))

describe('RFC 7644 §3.3: creating groups', () => {
  test('§3.3: 201 with Location and the group, members with their addresses', async () => {
    const body = { schemas: [GROUP], displayName: 'Eng', externalId: 'g-1', members: values(ada, bob) }
    const reply = await call('POST', '/Groups', body)
    const group = answered(reply, 201)
    expect(reply.headers.get('location')).toBe(`http://localhost:4000${SCIM}/Groups/${group.id}`)
    expect(reply.headers.get('etag')).toBe(group.meta.version)
    expect(group).toMatchObject({
      schemas: [GROUP],
      displayName: 'Eng',
      externalId: 'g-1',
      meta: { resourceType: 'Group', location: reply.headers.get('location') },
    })
    expect(group.members).toHaveLength(2)
    expect(group.members).toContainEqual({
      value: ada,
      type: 'User',
      display: expect.any(String),
      $ref: people[0].meta.location,
    })
    expect(answered(await call('GET', `/Groups/${group.id}`))).toEqual(group)
    expect(answered(await call('GET', `/Groups/${group.id.toUpperCase()}`))).toEqual(group)
  })

  test('RFC 7643 §4.1.2: the user tells the groups', async () => {
    const group = await addGroup([dan ?? ''])
    const user = answered(await call('GET', `/Users/${dan}`))
    expect(user.groups).toContainEqual({
      value: group.id,
      display: group.displayName,
      type: 'direct',
      $ref: group.meta.location,
    })
  })

  test('nothing but displayName is required', async () => {
    const group = answered(await call('POST', '/Groups', { displayName: 'Bare' }), 201)
    expect(withoutMeta(group)).toEqual({ schemas: [GROUP], id: group.id, displayName: 'Bare', members: [] })
  })

  test('ids of members in either case, and each once', async () => {
    const group = await addGroup([ada?.toUpperCase() ?? '', ada ?? ''])
    expect(await membersOf(group.id)).toEqual([ada])
  })

  test('a displayName in any case that is there already is 409 uniqueness', async () => {
    const group = await addGroup()
    expectRefused(await call('POST', '/Groups', { displayName: group.displayName.toUpperCase() }), 409, 'uniqueness')
    const other = await addGroup([], { externalId: 'group-once' })
    // RFC 7643 §3.1: only the client is responsible for unique externalIds.
    expect((await call('POST', '/Groups', { displayName: 'Another', externalId: 'group-once' })).status).toBe(201)
    expectRefused(await call('PUT', `/Groups/${other.id}`, { displayName: group.displayName }), 409, 'uniqueness')
    expectRefused(
      await patch(other.id, { op: 'replace', path: 'displayName', value: group.displayName }),
      409,
      'uniqueness',
    )
  })

  test.each<[string, object]>([
    ['no displayName', { members: [] }],
    ['an empty displayName', { displayName: ' ' }],
    ['members of no array or object', { displayName: 'x', members: 'x' }],
    ['a member without value', { displayName: 'x', members: [{ display: 'Ada' }] }],
    ['a member that is nobody', { displayName: 'x', members: [{ value: randomUUID() }] }],
    ['a member that is no id', { displayName: 'x', members: [{ value: 'ada' }] }],
  ])('§3.12: %s is 400 invalidValue', async (_, body) => {
    expectRefused(await call('POST', '/Groups', body), 400, 'invalidValue')
    expect((await list(client, { filter: 'displayName eq "x"' }, '/Groups')).totalResults).toBe(0)
  })

  test('a member of another organization is nobody', async () => {
    const stranger = await addUser(await provisioned(app, tenant))
    expectRefused(
      await call('POST', '/Groups', { displayName: 'Mixed', members: values(stranger.id) }),
      400,
      'invalidValue',
    )
    const group = await addGroup()
    expectRefused(
      await patch(group.id, { op: 'add', path: 'members', value: values(stranger.id) }),
      400,
      'invalidValue',
    )
    expect(await membersOf(group.id)).toEqual([])
  })
})

describe('RFC 7644 §3.5.1: replacing groups', () => {
  test('PUT replaces name and members', async () => {
    const group = await addGroup([ada ?? '', bob ?? ''], { externalId: 'put-1' })
    const put = answered(await call('PUT', `/Groups/${group.id}`, { displayName: 'Put', members: values(cleo) }))
    expect(put).toMatchObject({ id: group.id, displayName: 'Put', members: [{ value: cleo }] })
    expect(put).not.toHaveProperty('externalId')
    expect(await membersOf(group.id)).toEqual([cleo])
  })

  test('PUT without members leaves none', async () => {
    const group = await addGroup([ada ?? ''])
    answered(await call('PUT', `/Groups/${group.id}`, { displayName: group.displayName }))
    expect(await membersOf(group.id)).toEqual([])
  })

  test('the same again changes nothing', async () => {
    const group = await addGroup([ada ?? ''])
    expect(answered(await call('PUT', `/Groups/${group.id}`, group))).toEqual(group)
  })
})

describe('RFC 7644 §3.5.2: changing groups', () => {
  test.each<[string, object[], (string | undefined)[]]>([
    ['§3.5.2.1: add', [{ op: 'add', path: 'members', value: values(cleo) }], [ada, bob, cleo]],
    ['§3.5.2.1: add of one', [{ op: 'add', path: 'members', value: { value: cleo } }], [ada, bob, cleo]],
    ['§3.5.2.1: add without a path', [{ op: 'add', value: { members: values(cleo, dan) } }], [ada, bob, cleo, dan]],
    ['§3.5.2.1: add of who is there', [{ op: 'add', path: 'members', value: values(ada) }], [ada, bob]],
    ['§3.5.2.2: remove of one by a filter', [{ op: 'remove', path: `members[value eq "${ada}"]` }], [bob]],
    ['§3.5.2.2: by an id in upper case', [{ op: 'remove', path: `members[value eq "${ada?.toUpperCase()}"]` }], [bob]],
    ['§3.5.2.2: remove of who is no member', [{ op: 'remove', path: `members[value eq "${dan}"]` }], [ada, bob]],
    ['§3.5.2.2: remove of all', [{ op: 'remove', path: 'members' }], []],
    ['§3.5.2.3: replace', [{ op: 'replace', path: 'members', value: values(cleo) }], [cleo]],
    ['§3.5.2.3: replace by nobody', [{ op: 'replace', path: 'members', value: [] }], []],
    [
      '§3.5.2: one after another',
      [
        { op: 'remove', path: 'members' },
        { op: 'add', path: 'members', value: values(cleo, ada) },
        { op: 'remove', path: `members[value eq "${cleo}"]` },
      ],
      [ada],
    ],
    ['Entra: remove with an array of values', [{ op: 'Remove', path: 'members', value: values(ada) }], [bob]],
    ['Entra: $ref: null', [{ op: 'Add', path: 'members', value: [{ $ref: null, value: cleo }] }], [ada, bob, cleo]],
  ])('%s is 204 without a body', async (_, operations, members) => {
    const group = await addGroup([ada ?? '', bob ?? ''])
    const reply = await patch(group.id, ...operations)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(await membersOf(group.id)).toEqual(members.toSorted())
  })

  test('with attributes it is 200 and shows them', async () => {
    const group = await addGroup([ada ?? ''])
    const reply = await call(
      'PATCH',
      `/Groups/${group.id}?attributes=displayName`,
      patchOf({ op: 'replace', path: 'displayName', value: 'Shown' }),
    )
    expect(answered(reply)).toEqual({ schemas: [GROUP], id: group.id, displayName: 'Shown' })
  })

  test('Okta: renamed with its id among the values', async () => {
    const group = await addGroup([ada ?? ''])
    const value = { id: group.id, displayName: 'Renamed' }
    expect((await patch(group.id, { op: 'replace', value })).status).toBe(204)
    expect(answered(await call('GET', `/Groups/${group.id}`))).toMatchObject({
      displayName: 'Renamed',
      members: [{ value: ada }],
    })
  })

  test('Okta: all members replaced, without a path', async () => {
    const group = await addGroup([ada ?? ''])
    expect((await patch(group.id, { op: 'replace', value: { members: values(bob, cleo) } })).status).toBe(204)
    expect(await membersOf(group.id)).toEqual([bob, cleo].toSorted())
  })

  test('Entra: an extra schema of groups', async () => {
    const schemas = [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group']
    const group = answered(
      await call('POST', '/Groups', { schemas, displayName: 'Extra', externalId: 'extra', members: [] }),
      201,
    )
    expect(group).toMatchObject({ displayName: 'Extra', externalId: 'extra' })
    expect((await patch(group.id, { op: 'Replace', path: 'externalId', value: 'extra-2' })).status).toBe(204)
    expect(answered(await call('GET', `/Groups/${group.id}`)).externalId).toBe('extra-2')
  })

  test('Entra: groups without members', async () => {
    const group = await addGroup([ada ?? ''])
    expect(answered(await call('GET', `/Groups/${group.id}?excludedAttributes=members`))).not.toHaveProperty('members')
    const filter = `displayName eq "${group.displayName}"`
    const { Resources } = await list(client, { filter, excludedAttributes: 'members' }, '/Groups')
    expect(Resources).toMatchObject([{ id: group.id, displayName: group.displayName }])
    expect(Resources[0]).not.toHaveProperty('members')
  })

  test.each<[string, object, string]>([
    ['remove without a path', { op: 'remove' }, 'noTarget'],
    ['remove of displayName', { op: 'remove', path: 'displayName' }, 'mutability'],
    ['another id', { op: 'replace', path: 'id', value: randomUUID() }, 'mutability'],
    ['a part of a member', { op: 'replace', path: `members[value eq "${ada}"].value`, value: bob }, 'mutability'],
    ['a member that is nobody', { op: 'add', path: 'members', value: values(randomUUID()) }, 'invalidValue'],
    ['a member without value', { op: 'add', path: 'members', value: [{ display: 'x' }] }, 'invalidValue'],
    ['an empty name', { op: 'replace', path: 'displayName', value: '' }, 'invalidValue'],
    ['a filter that is none', { op: 'remove', path: 'members[value is "x"]' }, 'invalidFilter'],
    ['a path that is none', { op: 'remove', path: 'members value' }, 'invalidPath'],
  ])('§3.5.2: %s: nothing of the request is done', async (_, operation, scimType) => {
    const group = await addGroup([ada ?? ''])
    const before = answered(await call('GET', `/Groups/${group.id}`))
    const add = { op: 'add', path: 'members', value: values(bob) }
    expectRefused(
      await patch(group.id, add, { op: 'replace', path: 'displayName', value: 'No' }, operation),
      400,
      scimType,
    )
    expect(answered(await call('GET', `/Groups/${group.id}`))).toEqual(before)
  })

  test('of changes at once none is lost', async () => {
    const group = await addGroup()
    const replies = await Promise.all(
      people.map(({ id }) => patch(group.id, { op: 'add', path: 'members', value: values(id) })),
    )
    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 204])
    expect(await membersOf(group.id)).toEqual([ada, bob, cleo, dan].toSorted())
  })
})

describe('RFC 7644 §3.14, §3.6: versions and ends', () => {
  test('the version changes with the members; If-Match and If-None-Match', async () => {
    const group = await addGroup()
    const path = `/Groups/${group.id}`
    const change = patchOf({ op: 'add', path: 'members', value: values(ada) })
    expectRefused(await call('PATCH', path, change, { 'if-match': 'W/"99"' }), 412)
    expect((await call('GET', path, undefined, { 'if-none-match': group.meta.version })).status).toBe(304)
    expect((await call('PATCH', path, change, { 'if-match': group.meta.version })).status).toBe(204)
    expect((await call('GET', path, undefined, { 'if-none-match': group.meta.version })).status).toBe(200)
    expectRefused(await call('DELETE', path, undefined, { 'if-match': group.meta.version }), 412)
  })

  test('a group that was deleted is nowhere, and its name is free', async () => {
    const group = await addGroup([cleo ?? ''])
    const reply = await call('DELETE', `/Groups/${group.id}`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expectRefused(await call('GET', `/Groups/${group.id}`), 404)
    expectRefused(await patch(group.id, { op: 'add', path: 'members', value: values(ada) }), 404)
    const { groups = [] } = answered(await call('GET', `/Users/${cleo}`))
    expect(groups.map(({ value }: { value: string }) => value)).not.toContain(group.id)
    answered(await call('POST', '/Groups', { displayName: group.displayName }), 201)
  })

  test('who is deleted is no member any more; who is deactivated still is', async () => {
    const [leaver, sleeper] = [await addUser(client), await addUser(client)]
    const group = await addGroup([leaver.id, sleeper.id])
    answered(await call('DELETE', `/Users/${leaver.id}`), 204)
    answered(await call('PATCH', `/Users/${sleeper.id}`, patchOf({ op: 'replace', path: 'active', value: false })))
    expect(await membersOf(group.id)).toEqual([sleeper.id])
  })

  test('a group of another organization is not there', async () => {
    const other = await provisioned(app, tenant)
    const group = await addGroup([ada ?? ''])
    for (const method of ['GET', 'DELETE'] as const) expectRefused(await other.call(method, `/Groups/${group.id}`), 404)
    expectRefused(await other.call('PATCH', `/Groups/${group.id}`, patchOf({ op: 'remove', path: 'members' })), 404)
    expectRefused(await other.call('PUT', `/Groups/${group.id}`, { displayName: 'x' }), 404)
    expect((await list(other, {}, '/Groups')).totalResults).toBe(0)
    answered(await other.call('POST', '/Groups', { displayName: group.displayName }), 201)
  })
})

describe('RFC 7644 §3.4.2: lists of groups', () => {
  test.each<[string, boolean]>([
    ['displayName eq "FOUND"', true],
    ['displayName sw "fou" and externalId eq "f-1"', true],
    ['externalId eq "F-1"', false],
    [`members.value eq "${ada}"`, true],
    [`members[value eq "${ada?.toUpperCase()}"]`, true],
    [`members eq "${bob}"`, false],
    ['meta.resourceType eq "Group" and displayName eq "found"', true],
  ])('§3.4.2.2: %s', async (filter, isFound) => {
    const other = await list(client, { filter: 'displayName eq "Found"' }, '/Groups')
    if (other.totalResults === 0) await addGroup([ada ?? ''], { displayName: 'Found', externalId: 'f-1' })
    const { Resources } = await list(client, { filter, count: '200' }, '/Groups')
    const names = Resources.map(({ displayName }: { displayName: string }) => displayName)
    expect(names.includes('Found')).toBe(isFound)
  })

  test('§3.12: what cannot be searched is 400 invalidFilter', async () => {
    for (const filter of ['shoeSize pr', 'displayName', 'userName eq "x"'])
      expectRefused(await call('GET', `/Groups?${new URLSearchParams({ filter })}`), 400, 'invalidFilter')
  })

  test.each(['co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])(
    '§3.4.2.2: of an id %s asks what no index answers, and is 400 invalidFilter',
    async (operator) => {
      for (const name of ['id', 'members', 'members.value']) {
        const filter = `displayName eq "x" or ${name} ${operator} "${ada}"`
        expectRefused(await call('GET', `/Groups?${new URLSearchParams({ filter })}`), 400, 'invalidFilter')
      }
      const filter = `id ${operator} "${ada}"`
      expectRefused(await call('POST', '/Users/.search', { filter }), 400, 'invalidFilter')
    },
  )

  test('§3.4.2.2: of members is asked ten times in one filter, and no more', async () => {
    const asked = (count: number) => Array.from({ length: count }, () => 'not (members.value eq "x" or members pr)')
    const search = (count: number) => call('POST', '/Groups/.search', { filter: asked(count).join(' and ') })
    answered(await search(5))
    expectRefused(await search(6), 400, 'invalidFilter')
  })

  test('§3.4.2.3, §3.4.2.4, §3.4.3 and RFC 9865: sorted, in pages, by POST and by cursors', async () => {
    const other = await provisioned(app, tenant)
    for (const displayName of ['b', 'A', 'c']) answered(await other.call('POST', '/Groups', { displayName }), 201)
    const names = (page: { Resources: { displayName: string }[] }) =>
      page.Resources.map(({ displayName }) => displayName)
    expect(names(await list(other, { sortBy: 'displayName' }, '/Groups'))).toEqual(['A', 'b', 'c'])
    expect(names(await list(other, { sortBy: 'displayName', startIndex: '2', count: '1' }, '/Groups'))).toEqual(['b'])
    const body = {
      schemas: [`${MESSAGES}:SearchRequest`],
      sortBy: 'displayName',
      sortOrder: 'descending',
      count: 2,
      cursor: '',
    }
    const first = answered(await other.call('POST', '/Groups/.search', body))
    const second = answered(await other.call('POST', '/Groups/.search', { ...body, cursor: first.nextCursor }))
    expect([names(first), names(second)]).toEqual([['c', 'b'], ['A']])
  })
})
