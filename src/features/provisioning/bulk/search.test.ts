import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { addUser, answered, ENTERPRISE, expectRefused, MESSAGES } from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const tenant = await app.tenant()
const client = await provisioned(app, tenant)
const { call } = client

// In the order of their creation, which is also the order of their ids.
const users = ['cleo', 'Ada', 'eve']
const groups = ['Dons', 'bees', 'Fans']
const ids: Record<string, string> = {}
for (const [place, name] of users.entries()) {
  const own = { userName: `person${place}@acme.example`, displayName: name }
  const more = { ...own, externalId: `u-${name}`, title: 'Engineer', [ENTERPRISE]: { department: 'R&D' } }
  ids[name] = (await addUser(client, more)).id
}
for (const displayName of groups) {
  const body = { displayName, externalId: `g-${displayName}`, members: [{ value: ids['Ada'] }] }
  ids[displayName] = answered(await call('POST', '/Groups', body), 201).id
}

const search = async (body: object = {}) =>
  answered(await call('POST', '/.search', { schemas: [`${MESSAGES}:SearchRequest`], ...body }))
const namesOf = ({ Resources }: { Resources: { displayName: string }[] }) =>
  Resources.map(({ displayName }) => displayName)
const found = async (filter: string) => namesOf(await search({ filter }))

test('RFC 7644 §3.4.3: all resources, the users first, each as it is read by itself', async () => {
  const page = await search()
  expect(page).toMatchObject({
    schemas: [`${MESSAGES}:ListResponse`],
    totalResults: 6,
    startIndex: 1,
    itemsPerPage: 6,
  })
  expect(namesOf(page)).toEqual([...users, ...groups])
  expect(page.Resources[1]).toEqual((await call('GET', `/Users/${ids['Ada']}`)).body)
  expect(page.Resources[3]).toEqual((await call('GET', `/Groups/${ids['Dons']}`)).body)
})

test.each<[string, string[]]>([
  ['meta.resourceType eq "User"', users],
  ['meta.resourceType eq "Group" or userName sw "person0@"', ['cleo', ...groups]],
  ['displayName eq "ADA" or displayName eq "dons"', ['Ada', 'Dons']],
  ['externalId eq "g-bees"', ['bees']],
  ['title pr', users],
  ['not (title pr)', groups],
  ['title ne "x"', [...users, ...groups]],
  ['title eq null', groups],
  ['active eq true', users],
  ['active ne true', groups],
  ['members pr', groups],
  ['emails[type eq "work"] or members.value eq "nobody"', users],
  ['not (emails pr) and not (members pr)', []],
  ['name pr', []],
  [`${ENTERPRISE}:department eq "r&d"`, users],
  ['userName gt "a" and meta.created gt "2000-01-01T00:00:00Z"', users],
])('§3.4.2.1: what a type does not have is nothing: %s', async (filter, expected) => {
  expect(await found(filter)).toEqual(expected)
})

test('an id of either type', async () => {
  expect(await found(`id eq "${ids['eve']}"`)).toEqual(['eve'])
  expect(await found(`id eq "${ids['Fans']}"`)).toEqual(['Fans'])
  expect(await found(`id eq "${ids['Fans']?.toUpperCase()}"`)).toEqual([])
})

test.each(['', '/'])('§3.4.2.1: the root is searched by GET as by POST: "%s"', async (root) => {
  const query = { filter: 'displayName sw "D" or title pr', sortBy: 'displayName', sortOrder: 'descending', count: '2' }
  const asked = `${root}?${new URLSearchParams(query)}`
  const page = answered(await call('GET', asked))
  expect(page).toEqual(await search({ ...query, count: 2 }))
  expect(namesOf(page)).toEqual(['eve', 'Dons'])
  expect(answered(await call('GET', root)).totalResults).toBe(6)
  const { logs } = (await tenant.get(`/v1/scim/logs?order=desc&limit=3&subOrgId=${client.subOrgId}`)).body
  expect(logs.map(({ path }: { path: string }) => path)).toEqual(['/', '/.search', `/?${new URLSearchParams(query)}`])
  expectRefused(await call('POST', root, {}), 405)
})

test.each<[object, string[]]>([
  [{ startIndex: 2, count: 3 }, ['Ada', 'eve', 'Dons']],
  [{ startIndex: 4, count: 1 }, ['Dons']],
  [{ startIndex: 6 }, ['Fans']],
  [{ startIndex: 7 }, []],
  [{ count: 0 }, []],
  [{ sortBy: 'displayName' }, ['Ada', 'bees', 'cleo', 'Dons', 'eve', 'Fans']],
  [{ sortBy: 'displayName', startIndex: 3, count: 2 }, ['cleo', 'Dons']],
  [{ sortBy: 'displayName', sortOrder: 'descending', count: 2 }, ['Fans', 'eve']],
  [{ sortBy: 'id', startIndex: 3, count: 2 }, ['eve', 'Dons']],
  [{ sortBy: 'userName', count: 4 }, ['cleo', 'Ada', 'eve', 'Dons']],
  [{ sortBy: 'meta.created', sortOrder: 'descending', count: 4 }, ['Fans', 'bees', 'Dons', 'eve']],
  [{ sortBy: 'active' }, [...users, ...groups]],
])('§3.4.2.3, §3.4.2.4: sorted, in pages: %j', async (query, expected) => {
  const page = await search(query)
  expect(namesOf(page)).toEqual(expected)
  expect(page).toMatchObject({ totalResults: 6, itemsPerPage: expected.length })
})

test.each([
  {},
  { sortBy: 'displayName' },
  { sortBy: 'displayName', sortOrder: 'descending' },
  { sortBy: 'title' },
  { sortBy: 'meta.created' },
  { sortBy: 'active', sortOrder: 'descending' },
  { sortOrder: 'descending' },
])('RFC 9865 §2.1: by cursors everybody is seen once: %j', async (query) => {
  for (const count of [1, 2, 3, 5]) {
    const seen: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await search({ ...query, count, cursor })
      expect([page.totalResults, 'startIndex' in page]).toEqual([6, false])
      seen.push(...namesOf(page))
      cursor = page.nextCursor
    }
    expect(seen.toSorted()).toEqual([...users, ...groups].toSorted())
    if ('sortBy' in query && query.sortBy === 'displayName') expect(seen).toEqual(namesOf(await search(query)))
  }
})

test('§3.9: attributes and excludedAttributes of either type', async () => {
  const { Resources } = await search({ attributes: ['userName', 'members.value'], startIndex: 3, count: 2 })
  expect(Resources.map((one: object) => Object.keys(one).toSorted())).toEqual([
    ['id', 'schemas', 'userName'],
    ['id', 'members', 'schemas'],
  ])
  expect(Resources[1].members).toEqual([{ value: ids['Ada'] }])
  for (const one of (await search({ excludedAttributes: ['emails', 'members', 'groups'] })).Resources)
    expect(Object.keys(one)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(emails|members|groups)$/)]))
})

test.each<[object, string]>([
  [{ filter: 'shoeSize pr' }, 'invalidFilter'],
  [{ filter: 'title' }, 'invalidFilter'],
  [{ filter: 'id co "a"' }, 'invalidFilter'],
  [{ sortBy: 'members' }, 'invalidPath'],
  [{ sortBy: 'shoeSize' }, 'invalidPath'],
  [{ cursor: 'AAAA' }, 'invalidCursor'],
])('§3.12: %j is refused', async (body, scimType) => {
  expectRefused(await call('POST', '/.search', body), 400, scimType)
})

test('a cursor of a list of users is none of all resources, nor is one of another organization', async () => {
  const other = await provisioned(app, tenant)
  const { nextCursor } = answered(await call('POST', '/Users/.search', { cursor: '', count: 1 }))
  expectRefused(await call('POST', '/.search', { cursor: nextCursor }), 400, 'invalidCursor')
  const own = await search({ cursor: '', count: 1 })
  expectRefused(await other.call('POST', '/.search', { cursor: own.nextCursor }), 400, 'invalidCursor')
  expect(answered(await other.call('POST', '/.search', {}))).toMatchObject({ totalResults: 0, Resources: [] })
})
