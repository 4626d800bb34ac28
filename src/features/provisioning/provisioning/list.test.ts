import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { parseFilter } from '../language/filter.ts'
import { compileFilter } from '../language/filter-sql.ts'
import { userTargets } from './targets.ts'

const app = await startApp()
const tenant = await app.tenant()
const { call } = await provisioned(app, tenant)
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const names = ['ada', 'Bea', 'cleo', 'Dora', 'eve']
const people = await Promise.all(
  names.map(async (name, n) => {
    const userName = `${name}@acme.example`
    const reply = await call('POST', '/Users', {
      userName,
      externalId: `e-${name}`,
      displayName: name,
      name: { givenName: name, familyName: `Number ${n}` },
      emails: [
        { value: userName, type: 'work', primary: true },
        { value: `${name}@home.example`, type: 'home' },
      ],
      title: n % 2 ? 'Engineer' : 'Admiral',
      active: n !== 4,
      [ENTERPRISE]: { department: 'Navy' },
    })
    return reply.body
  }),
)

interface Shown {
  userName: string
}

const list = (query: object) =>
  call(
    'GET',
    `/Users?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`,
  )
const namesIn = (body: { Resources: Shown[] }) =>
  body.Resources.map(({ userName }) => userName.split('@')[0]).toSorted()
const find = async (filter: string) => namesIn((await list({ filter })).body)

test('filters reach what has an index, and refuse the rest', async () => {
  expect(await find('userName eq "ADA@acme.example"')).toEqual(['ada'])
  expect(await find('externalId eq "e-Bea"')).toEqual(['Bea'])
  expect(await find('externalId eq "E-BEA"')).toEqual([])
  expect(await find(`id eq "${people[2].id}"`)).toEqual(['cleo'])
  expect(await find('id eq "nothing"')).toEqual([])
  expect(await find('displayName sw "D" or name.givenName co "LE"')).toEqual(['Dora', 'cleo'])
  expect(await find('title eq "engineer" and not (userName sw "bea")')).toEqual(['Dora'])
  expect(await find('active eq false')).toEqual(['eve'])
  expect(await find('emails.value eq "dora@HOME.example"')).toEqual(['Dora'])
  expect(await find('emails[type eq "home" and value sw "ada@acme"]')).toEqual([])
  expect(await find(`${ENTERPRISE}:department eq "navy"`)).toHaveLength(5)
  expect(await find('meta.lastModified gt "2020-01-01T00:00:00Z"')).toHaveLength(5)
  for (const filter of [
    'nickName eq "x"',
    'password eq "x"',
    'userName eq',
    'userName eq "x" or',
    '1 eq 1',
    `${'('.repeat(200)}id pr`,
  ]) {
    const reply = await list({ filter })
    expect([filter, reply.status, reply.body.scimType]).toEqual([filter, 400, 'invalidFilter'])
  }
})

test('a value is a value, whatever it looks like', async () => {
  for (const value of ["' or 1=1 --", '%', '_', '\\', '"; drop table users; --'])
    expect(await find(`userName sw ${JSON.stringify(value)}`)).toEqual([])
  expect((await list({ filter: 'userName) or (1 eq 1' })).status).toBe(400)
})

test('a probe for nobody is an empty list', async () => {
  const { status, body } = await list({ filter: `userName eq "${fresh()}@nobody.example"` })
  expect([status, body]).toEqual([
    200,
    {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    },
  ])
})

test('pages by number', async () => {
  const first = (await list({ startIndex: 1, count: 2 })).body
  expect(first).toMatchObject({ totalResults: 5, startIndex: 1, itemsPerPage: 2 })
  const rest = (await list({ startIndex: 3 })).body
  expect(rest).toMatchObject({ totalResults: 5, startIndex: 3, itemsPerPage: 3 })
  expect(namesIn({ Resources: [...first.Resources, ...rest.Resources] })).toEqual(names.toSorted())
  expect((await list({ startIndex: -3, count: 1e9 })).body).toMatchObject({ startIndex: 1, itemsPerPage: 5 })
  expect((await list({ count: 0 })).body).toMatchObject({ totalResults: 5, itemsPerPage: 0, Resources: [] })
  expect((await list({ count: -1 })).body).toMatchObject({ totalResults: 5, itemsPerPage: 0 })
  expect((await list({ startIndex: 99 })).body).toMatchObject({ totalResults: 5, itemsPerPage: 0 })
  expect((await list({ count: 'many' })).body).toMatchObject({ status: '400', scimType: 'invalidValue' })
})

test.each([
  {},
  { sortBy: 'userName' },
  { sortBy: 'userName', sortOrder: 'descending' },
  { sortBy: 'meta.created' },
  { sortBy: 'title' },
])('pages by cursor, ordered by %s', async (sort) => {
  const seen: Shown[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const { status, body }: Awaited<ReturnType<typeof list>> = await list({ ...sort, count: 2, cursor })
    expect([status, body.totalResults, 'startIndex' in body]).toEqual([200, 5, false])
    seen.push(...body.Resources)
    cursor = body.nextCursor
  }
  expect(namesIn({ Resources: seen })).toEqual(names.toSorted())
  const whole = (await list(sort)).body.Resources
  if (sort.sortBy === 'userName') expect(seen).toEqual(whole)
})

test('a cursor of another query, or a made-up one, is refused', async () => {
  const { nextCursor } = (await list({ count: 2, cursor: '' })).body
  for (const query of [{ cursor: nextCursor, filter: 'title pr' }, { cursor: `${nextCursor}A` }, { cursor: 'AAAA' }]) {
    const reply = await list(query)
    expect([reply.status, reply.body.scimType]).toEqual([400, 'invalidCursor'])
  }
})

test('the same by POST', async () => {
  const reply = await call('POST', '/Users/.search', {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
    filter: 'userName sw "a"',
    attributes: ['userName'],
    startIndex: 1,
    count: 10,
  })
  expect(reply.body).toMatchObject({ totalResults: 1, Resources: [{ id: people[0].id, userName: 'ada@acme.example' }] })
  expect((await call('POST', '/Users/.search', { filter: 'x' })).body.scimType).toBe('invalidFilter')
})

test('what is looked for is found by an index', async () => {
  const { db } = app.app.platform
  const directoryId = (await db.selectFrom('scim_users').select('directory_id').executeTakeFirstOrThrow()).directory_id
  await sql`
    insert into users (directory_id, id, environment_id, email, email_norm, display_name, source, scim_managed)
    select ${directoryId}::uuid, gen_random_uuid(), ${tenant.environmentId}::uuid, 'n' || n || '@x.example',
      'n' || n || '@x.example', 'N ' || n, 'scim', true from generate_series(1, 5000) n`.execute(db)
  await sql`
    insert into scim_users (directory_id, user_id, user_name, external_id, resource)
    select directory_id, id, email, email, '{}' from users where email like '%@x.example'`.execute(db)
  await sql`
    insert into scim_user_emails (directory_id, user_id, n, value, is_primary)
    select directory_id, id, 0, email, true from users where email like '%@x.example'`.execute(db)
  await sql`analyze users, scim_users, scim_user_emails`.execute(db)
  const indexes = [
    ['userName eq "n7@x.example"', 'scim_users_by_user_name'],
    ['externalId eq "n7@x.example"', 'scim_users_by_external_id'],
    ['id eq "n7"', 'scim_users_by_id_text'],
    ['displayName eq "n 7"', 'users_provisioned_by_name'],
    ['name.familyName eq "n 7"', 'by_last_name'],
    ['emails[type eq "work" and value eq "n7@x.example"]', 'scim_user_emails_by_value'],
  ] as const
  for (const [filter, index] of indexes) {
    const { rows } = await sql<Record<string, string>>`
      explain select u.id from scim_users s join users u on u.directory_id = ${directoryId} and u.id = s.user_id
      where s.directory_id = ${directoryId} and s.deleted_at is null and u.scim_managed and u.deleted_at is null
        and ${compileFilter(parseFilter(filter), userTargets)}`.execute(db)
    expect([filter, rows.map((row) => row['QUERY PLAN']).join()]).toEqual([filter, expect.stringContaining(index)])
  }
})
