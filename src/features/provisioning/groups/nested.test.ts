import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'

const app = await startApp()
const tenant = await app.tenant()
const { call } = await provisioned(app, tenant)

const addUser = async () => (await call('POST', '/Users', { userName: `${fresh()}@acme.example` })).body.id
const addGroup = async (...members: string[]): Promise<string> =>
  (await call('POST', '/Groups', { displayName: fresh(), members: members.map((value) => ({ value })) })).body.id
const groupsOf = async (id: string): Promise<[string, string][]> =>
  (await call('GET', `/Users/${id}`)).body.groups.map(({ value, type }: Record<string, string>) => [value, type])

test('a user is in the groups around theirs, however deep, and in circles too', async () => {
  const user = await addUser()
  const ids = [await addGroup(user)]
  for (const _ of Array.from({ length: 12 })) ids.push(await addGroup(ids.at(-1) ?? ''))
  const [inner = '', ...around] = ids
  const nested = [[inner, 'direct'], ...around.map((id) => [id, 'indirect'])]
  expect(await groupsOf(user)).toEqual(nested)
  const Operations = [{ op: 'add', path: 'members', value: [{ value: ids.at(-1) }] }]
  expect((await call('PATCH', `/Groups/${inner}`, { Operations })).status).toBe(204)
  expect(await groupsOf(user)).toEqual(nested)
})

test('what is around a group is looked for once, however many are in it and however many ways lead there', async () => {
  const { db } = app.app.platform
  const users = await Promise.all(Array.from({ length: 20 }, addUser))
  const group = await addGroup(...users)
  // Three hundred groups, each a member of all others. A statement may take three seconds.
  await sql`
    insert into scim_groups (directory_id, id, display_name, resource)
    select directory_id, gen_random_uuid(), 'Nested ' || n, '{}' from scim_groups, generate_series(1, 300) n
    where id = ${group}::uuid`.execute(db)
  const everyone = sql`
    select directory_id, id, row_number() over (order by id) as n from scim_groups
    where id = ${group}::uuid or display_name like 'Nested %'`
  for (const batch of [0, 1, 2, 3, 4])
    await sql`
      with everyone as (${everyone})
      insert into scim_group_groups (directory_id, group_id, member_id)
      select one.directory_id, one.id, other.id from everyone one, everyone other
      where one.id <> other.id and one.n % 5 = ${batch}`.execute(db)
  const { status, body } = await call('GET', '/Users?count=20&sortBy=meta.created&sortOrder=descending')
  expect([status, body.Resources?.map(({ groups }: { groups: unknown[] }) => groups.length)]).toEqual([
    200,
    users.map(() => 301),
  ])
})
