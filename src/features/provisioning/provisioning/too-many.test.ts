import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'

const app = await startApp()
const tenant = await app.tenant()
const { call } = await provisioned(app, tenant)
const { db } = app.app.platform

// The user makes the plan reach the table whose searches are cancelled.
expect((await call('POST', '/Users', { userName: 'a@acme.example', title: 'b' })).status).toBe(201)

/** From now on PostgreSQL cancels each search in this table, as it does after three seconds. */
async function cancel(table: string): Promise<void> {
  await sql`alter table ${sql.table(table)} rename to ${sql.id(`whole_${table}`)}`.execute(db)
  await sql`
    create function ${sql.id(`cancel_${table}`)}() returns setof ${sql.table(`whole_${table}`)} language plpgsql as $$
    begin
      raise exception 'canceling statement due to statement timeout' using errcode = '57014';
    end $$`.execute(db)
  await sql`create view ${sql.table(table)} as select * from ${sql.id(`cancel_${table}`)}()`.execute(db)
}

await cancel('scim_users')
await cancel('scim_groups')

const BROAD = [
  { filter: 'userName co "a"' },
  { filter: 'not (userName eq "a")' },
  { filter: 'userName pr' },
  { filter: 'active eq true' },
  { filter: 'emails.type eq "work"' },
  { filter: 'emails[type eq "work"]' },
  { filter: 'userName eq "a" or title ew "b"' },
  { filter: 'userName sw ""' },
  { filter: 'meta.resourceType eq "User"' },
  { sortBy: 'title' },
]
const NARROW = [
  {},
  { filter: 'userName eq "a"' },
  { filter: 'userName eq "a"', sortBy: 'title' },
  { filter: 'title co "b" and userName sw "a"' },
  { filter: 'userName eq "a" or externalId eq "b"' },
  { filter: 'emails[type eq "work" and value eq "a@acme.example"]' },
  { filter: 'emails.value eq "a@acme.example"' },
]

const search = (path: string, query: Record<string, string>, count = '10') =>
  call('GET', `${path}?${new URLSearchParams({ ...query, count })}`)

test.each(BROAD)('a search that goes through everybody, %s, is refused when its time is over', async (query) => {
  for (const count of ['0', '10']) {
    const { status, body } = await search('/Users', query, count)
    expect([status, body.status, body.scimType]).toEqual([400, '400', 'tooMany'])
    expect(body.detail).toContain('Search with eq or sw')
  }
  expect((await call('POST', '/Users/.search', query)).body.scimType).toBe('tooMany')
  expect((await call('POST', '/.search', query)).body.scimType).toBe('tooMany')
})

test.each(NARROW)('of one that an index serves, %s, it is the database that is late', async (query) => {
  expect((await search('/Users', query)).status).toBe(503)
})

test('the same of groups', async () => {
  expect((await search('/Groups', { filter: 'displayName co "a"' })).body.scimType).toBe('tooMany')
  expect((await search('/Groups', { filter: 'displayName eq "a"' })).status).toBe(503)
  expect((await search('/Groups', { filter: 'members[value eq "a"]' })).status).toBe(503)
})
