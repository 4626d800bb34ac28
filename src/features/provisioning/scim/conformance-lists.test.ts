import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import {
  addUser,
  answered,
  ENTERPRISE,
  expectRefused,
  list,
  MESSAGES,
  USER,
} from '../../../../test/people/scim-answers.ts'

const app = await startApp()
const tenant = await app.tenant()
const client = await provisioned(app, tenant)
const { call } = client

const names = ['ada', 'Bob', 'cleo', 'Dan', 'eve', 'Finn', 'gus', 'Hal', 'ida', 'Jo', 'kit', 'Lou']
const users: Record<string, { id: string; meta: { created: string; lastModified: string } }> = {}
for (const [at, name] of names.entries())
  users[name] = await addUser(client, {
    userName: `${name}@acme.example`,
    externalId: `X${at}`,
    displayName: name,
    active: at % 3 !== 0,
    title: at % 2 === 0 ? 'Engineer' : '100% _real_ \\ "CTO"',
    name: { givenName: name, familyName: at < 6 ? 'Byron' : 'Lovelace' },
    emails: [
      { value: `${name}@acme.example`, type: 'work', primary: true },
      ...(at < 3 ? [{ value: `${name}@home.example`, type: 'home' }] : []),
    ],
    [ENTERPRISE]: { department: at < 4 ? 'R&D' : 'Sales' },
  })

const found = async (filter: string) => {
  const reply = await list(client, { filter, attributes: 'displayName', count: '200' })
  return reply.Resources.map(({ displayName }: { displayName: string }) => displayName).sort((a: string, b: string) =>
    a.localeCompare(b),
  )
}

describe('RFC 7644 §3.4.2.2: filters', () => {
  test.each<[string, string[]]>([
    ['userName eq "ADA@acme.example"', ['ada']],
    ['userName Eq "bob@acme.example"', ['Bob']],
    [`${USER}:userName eq "bob@acme.example"`, ['Bob']],
    ['userName ne "ada@acme.example"', names.slice(1)],
    ['userName sw "A"', ['ada']],
    ['userName co "O@ACME"', ['cleo', 'Jo']],
    ['displayName ew "N"', ['Dan', 'Finn']],
    ['displayName eq "hal"', ['Hal']],
    ['userName gt "ida@acme.example"', ['Jo', 'kit', 'Lou']],
    ['userName ge "ida@acme.example"', ['ida', 'Jo', 'kit', 'Lou']],
    ['userName lt "Bob@acme.example"', ['ada']],
    ['userName le "Bob@acme.example"', ['ada', 'Bob']],
    ['externalId eq "X3"', ['Dan']],
    ['externalId eq "x3"', []],
    ['active eq false', ['ada', 'Dan', 'gus', 'Jo']],
    ['active eq true and name.familyName eq "byron"', ['Bob', 'cleo', 'eve', 'Finn']],
    ['active eq false or userName eq "bob@acme.example"', ['ada', 'Bob', 'Dan', 'gus', 'Jo']],
    ['name.givenName eq "ada" or name.givenName eq "bob" and active eq false', ['ada']],
    ['(name.givenName eq "ada" or name.givenName eq "bob") and active eq true', ['Bob']],
    ['not (name.familyName eq "Byron") and active eq false', ['gus', 'Jo']],
    ['emails.value eq "ADA@home.example"', ['ada']],
    ['emails co "@home.example"', ['ada', 'Bob', 'cleo']],
    ['emails[type eq "home" and value co "bob"]', ['Bob']],
    ['emails[type eq "work" and value co "home.example"]', []],
    ['emails[type eq "work"].value eq "kit@acme.example"', ['kit']],
    ['emails.type eq "home"', ['ada', 'Bob', 'cleo']],
    [`${ENTERPRISE}:department eq "r&d"`, ['ada', 'Bob', 'cleo', 'Dan']],
    ['title pr and displayName eq "ada"', ['ada']],
    ['title co "100%"', ['Bob', 'Dan', 'Finn', 'Hal', 'Jo', 'Lou']],
    ['title co "1_0%"', []],
    ['title co "\\\\"', ['Bob', 'Dan', 'Finn', 'Hal', 'Jo', 'Lou']],
    ['title ew "\\"CTO\\"" and active eq false', ['Dan', 'Jo']],
    ['meta.resourceType eq "User" and displayName eq "ada"', ['ada']],
    ['meta.created gt "2000-01-01T00:00:00Z" and displayName eq "ada"', ['ada']],
    ['meta.lastModified lt "2000-01-01T00:00:00Z"', []],
  ])('%s', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected.toSorted((a, b) => a.localeCompare(b)))
  })

  test('RFC 7643 §3.1: an id exactly', async () => {
    const id = users['ada']?.id ?? ''
    expect(await found(`id eq "${id}"`)).toEqual(['ada'])
    expect(await found(`id eq "${id.toUpperCase()}"`)).toEqual([])
    expect(await found(`id ne "${id}"`)).toHaveLength(names.length - 1)
    expect(await found('id eq "nobody"')).toEqual([])
  })

  test('the times that were answered', async () => {
    const { created, lastModified } = users['ada']?.meta ?? { created: '', lastModified: '' }
    expect(await found(`meta.created eq "${created}"`)).toContain('ada')
    expect(await found(`meta.lastModified gt "${lastModified}"`)).not.toContain('ada')
  })

  test.each([
    'userName',
    'userName eq',
    'userName is "x"',
    'userName eq "x" and',
    'shoeSize eq 43',
    '__proto__ pr',
    'active gt true',
    'active eq "maybe"',
    'userName eq "a\\u0000"',
    `userName eq "${'x'.repeat(2_048)}"`,
    `${'('.repeat(11)}userName pr${')'.repeat(11)}`,
    "userName eq 'x'",
    'password eq "x"',
  ])('§3.12: %s is 400 invalidFilter', async (filter) => {
    expectRefused(await call('GET', `/Users?${new URLSearchParams({ filter })}`), 400, 'invalidFilter')
    expectRefused(
      await call('POST', '/Users/.search', { schemas: [`${MESSAGES}:SearchRequest`], filter }),
      400,
      'invalidFilter',
    )
  })

  test('a refused attribute is named', async () => {
    const reply = await call('GET', `/Users?${new URLSearchParams({ filter: 'shoeSize eq 43' })}`)
    expect(reply.body.detail).toContain('"shoeSize"')
  })
})

describe('RFC 7644 §3.4.2: lists', () => {
  test('§3.4.2: the form of an answer', async () => {
    const reply = await call('GET', `/Users?${new URLSearchParams({ filter: 'userName eq "ada@acme.example"' })}`)
    expect(reply.headers.get('content-type')).toBe('application/scim+json')
    expect(answered(reply)).toEqual({
      schemas: [`${MESSAGES}:ListResponse`],
      totalResults: 1,
      startIndex: 1,
      itemsPerPage: 1,
      Resources: [users['ada']],
    })
  })

  test('§3.4.2: nothing found is 200 and an empty list', async () => {
    expect(await list(client, { filter: 'userName eq "nobody@acme.example"' })).toEqual({
      schemas: [`${MESSAGES}:ListResponse`],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
  })

  test.each<[Record<string, string>, number, number, number]>([
    [{}, 1, 12, 12],
    [{ startIndex: '1', count: '5' }, 1, 5, 12],
    [{ startIndex: '11', count: '5' }, 11, 2, 12],
    [{ startIndex: '13' }, 13, 0, 12],
    [{ startIndex: '0', count: '2' }, 1, 2, 12],
    [{ startIndex: '-7', count: '2' }, 1, 2, 12],
    [{ count: '0' }, 1, 0, 12],
    [{ count: '-1' }, 1, 0, 12],
    [{ count: '1000000000' }, 1, 12, 12],
    [{ count: '3', filter: 'active eq false' }, 1, 3, 4],
  ])('§3.4.2.4: %j', async (query, startIndex, itemsPerPage, totalResults) => {
    const page = await list(client, query)
    expect(page).toMatchObject({ startIndex, itemsPerPage, totalResults })
    expect(page.Resources).toHaveLength(itemsPerPage)
  })

  test('§3.4.2.4: pages in a row show everybody once', async () => {
    const pages = await Promise.all(
      [1, 6, 11].map((startIndex) => list(client, { startIndex: String(startIndex), count: '5' })),
    )
    const ids = pages.flatMap((page) => page.Resources.map(({ id }: { id: string }) => id))
    expect(new Set(ids).size).toBe(12)
  })

  test.each(['x', '1.5', '99999999999999999999'])(
    '§3.4.2.4: startIndex=%s is refused as SCIM says, or the default',
    async (startIndex) => {
      const reply = await call('GET', `/Users?${new URLSearchParams({ startIndex })}`)
      if (reply.status !== 200) expectRefused(reply, 400, 'invalidValue')
      else expect(reply.body.totalResults).toBe(12)
    },
  )

  test.each<[Record<string, string>, (at: string[]) => string[]]>([
    [{ sortBy: 'userName' }, (all) => all],
    [{ sortBy: 'userName', sortOrder: 'ascending' }, (all) => all],
    [{ sortBy: 'USERNAME', sortOrder: 'descending' }, (all) => all.toReversed()],
    [{ sortBy: 'name.givenName', count: '3', startIndex: '2' }, (all) => all.slice(1, 4)],
    [{ sortBy: `${USER}:displayName`, count: '2' }, (all) => all.slice(0, 2)],
    [{ sortBy: 'meta.created' }, (all) => all],
  ])('§3.4.2.3: sorted in any case, by %j', async (query, expected) => {
    const { Resources } = await list(client, query)
    expect(Resources.map(({ displayName }: { displayName: string }) => displayName)).toEqual(expected(names))
  })

  test('§3.4.2.3: what cannot be sorted by is 400', async () => {
    for (const sortBy of ['emails.type', 'emails.display', 'name', 'groups', 'a..b', '__proto__', 'shoeSize'])
      expectRefused(await call('GET', `/Users?${new URLSearchParams({ sortBy })}`), 400, 'invalidPath')
  })

  test('§3.4.2.3: an order that is none is 400', async () => {
    for (const sortOrder of ['sideways', 'asc', '1'])
      for (const more of [{}, { sortBy: 'userName' }]) {
        const query = { sortOrder, ...more }
        expectRefused(await call('GET', `/Users?${new URLSearchParams(query)}`), 400, 'invalidValue')
        expectRefused(await call('POST', '/.search', query), 400, 'invalidValue')
      }
    expect((await list(client, { sortBy: 'userName', sortOrder: 'DESCENDING', count: '1' })).Resources).toHaveLength(1)
  })

  test('§3.4.2.3: of several addresses the primary one counts, or else the first', async () => {
    const other = await provisioned(app, tenant)
    const mails: [string, { value: string; primary?: boolean; type?: string }[]][] = [
      ['third', [{ value: 'a@x.example' }, { value: 'M@x.example', primary: true }]],
      ['second', [{ value: 'f@x.example' }, { value: 'b@x.example' }]],
      [
        'first',
        [
          { value: 'z@x.example', type: 'home' },
          { value: 'C@x.example', primary: true },
        ],
      ],
    ]
    for (const [displayName, emails] of mails) await addUser(other, { displayName, emails })
    // Without emails, the userName is the address.
    await addUser(other, { displayName: 'last', userName: 'zz@x.example' })
    const expected = ['first', 'second', 'third', 'last']
    const shown = ({ Resources }: { Resources: { displayName: string }[] }) =>
      Resources.map(({ displayName }) => displayName)
    for (const sortBy of ['emails', 'emails.value', `${USER}:emails.value`]) {
      expect(shown(await list(other, { sortBy }))).toEqual(expected)
      expect(shown(await list(other, { sortBy, sortOrder: 'descending' }))).toEqual(expected.toReversed())
      expect(shown(answered(await other.call('POST', '/.search', { sortBy })))).toEqual(expected)
      const first = await list(other, { sortBy, cursor: '', count: '3' })
      const second = await list(other, { sortBy, cursor: first.nextCursor, count: '3' })
      expect([...shown(first), ...shown(second)]).toEqual(expected)
    }
  })

  test('what is documented as searchable can be sorted by', async () => {
    const sortable = ['id', 'externalId', 'userName', 'displayName', 'name.givenName', 'name.familyName', 'title']
    const more = [`${ENTERPRISE}:department`, 'emails', 'active', 'meta.created', 'meta.lastModified']
    for (const sortBy of [...sortable, ...more])
      expect((await list(client, { sortBy })).Resources.length, sortBy).toBe(names.length)
  })

  test.each<[Record<string, string>, string[]]>([
    [{ attributes: 'userName' }, ['id', 'schemas', 'userName']],
    [{ attributes: 'USERNAME,name.givenName,emails.type' }, ['emails', 'id', 'name', 'schemas', 'userName']],
    [{ attributes: 'nothing' }, ['id', 'schemas']],
    [
      { excludedAttributes: `emails,name,meta,${ENTERPRISE},id` },
      ['active', 'displayName', 'externalId', 'id', 'schemas', 'title', 'userName'],
    ],
  ])('§3.9: %j', async (query, expected) => {
    const { Resources } = await list(client, { ...query, filter: 'userName eq "ada@acme.example"' })
    expect(Object.keys(Resources[0]).toSorted()).toEqual(expected)
  })
})

describe('RFC 7644 §3.4.3: searches by POST', () => {
  const search = async (path: string, body: object) =>
    answered(await call('POST', path, { schemas: [`${MESSAGES}:SearchRequest`], ...body }))

  test('§3.4.3: the same as a list', async () => {
    const body = {
      filter: 'active eq false',
      attributes: ['displayName'],
      sortBy: 'userName',
      sortOrder: 'descending',
      startIndex: 1,
      count: 2,
    }
    const listed = await list(client, {
      filter: 'active eq false',
      attributes: 'displayName',
      sortBy: 'userName',
      sortOrder: 'descending',
      startIndex: '1',
      count: '2',
    })
    expect(await search('/Users/.search', body)).toEqual(listed)
    expect(listed.Resources.map(({ displayName }: { displayName: string }) => displayName)).toEqual(['Jo', 'gus'])
  })

  test('§3.4.3: excludedAttributes, and without schemas', async () => {
    const reply = await call('POST', '/Users/.search', {
      filter: 'userName eq "ada@acme.example"',
      excludedAttributes: ['emails'],
    })
    expect(answered(reply).Resources[0]).not.toHaveProperty('emails')
  })
})

describe('RFC 9865: pages by cursors', () => {
  test('§2.1: each page leads to the next, the last one to none', async () => {
    const seen: string[] = []
    let page = await list(client, { cursor: '', count: '5', sortBy: 'userName' })
    expect(page).toMatchObject({ totalResults: 12, itemsPerPage: 5 })
    expect(page).not.toHaveProperty('startIndex')
    for (;;) {
      seen.push(...page.Resources.map(({ displayName }: { displayName: string }) => displayName))
      if (page.nextCursor === undefined) break
      expect(page.nextCursor).toMatch(/^[A-Za-z0-9._~-]+$/)
      page = await list(client, { cursor: page.nextCursor, count: '5', sortBy: 'userName' })
    }
    expect(seen).toEqual(names)
  })

  test('§2.1: who is added in between is not seen twice, and shifts nobody', async () => {
    const other = await provisioned(app, tenant)
    for (const name of ['b', 'c', 'd']) await addUser(other, { userName: `${name}@acme.example` })
    const first = await list(other, { cursor: '', count: '2', sortBy: 'userName' })
    await addUser(other, { userName: 'a@acme.example' })
    const second = await list(other, { cursor: first.nextCursor, count: '2', sortBy: 'userName' })
    expect(second.Resources.map(({ userName }: { userName: string }) => userName)).toEqual(['d@acme.example'])
  })

  test('§2.1: with a filter, and by POST (§2.2)', async () => {
    const body = { filter: 'active eq true', count: 4, sortBy: 'userName', sortOrder: 'descending' }
    const first = answered(await call('POST', '/Users/.search', { ...body, cursor: '' }))
    const second = answered(await call('POST', '/Users/.search', { ...body, cursor: first.nextCursor }))
    const shown = [...first.Resources, ...second.Resources].map(({ displayName }) => displayName)
    expect(shown).toEqual(['Lou', 'kit', 'ida', 'Hal', 'Finn', 'eve', 'cleo', 'Bob'])
    expect(second).not.toHaveProperty('nextCursor')
  })

  test('§2.1: a cursor of another query, or none, is 400 invalidCursor', async () => {
    const { nextCursor } = await list(client, { cursor: '', count: '5' })
    const stranger = await provisioned(app, tenant)
    const last = nextCursor.at(-1) === 'A' ? 'B' : 'A'
    const changed = [
      `${nextCursor}x`,
      `${nextCursor}!`,
      `${nextCursor}=`,
      `${nextCursor.slice(0, -1)}${last}`,
      'x',
      'AAAA',
      '__proto__',
      'x'.repeat(9_000),
    ]
    for (const cursor of changed)
      expectRefused(await call('GET', `/Users?${new URLSearchParams({ cursor })}`), 400, 'invalidCursor')
    const other = new URLSearchParams({ cursor: nextCursor, filter: 'active eq true' })
    expectRefused(await call('GET', `/Users?${other}`), 400, 'invalidCursor')
    expectRefused(
      await stranger.call('GET', `/Users?${new URLSearchParams({ cursor: nextCursor })}`),
      400,
      'invalidCursor',
    )
  })

  test('§2.1: count 0 is no page', async () => {
    expect(await list(client, { cursor: '', count: '0' })).toMatchObject({
      totalResults: 12,
      itemsPerPage: 0,
      Resources: [],
    })
  })
})
