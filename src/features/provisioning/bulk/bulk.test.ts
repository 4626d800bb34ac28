import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp, until } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'

const app = await startApp()
const { db } = app.app.platform
const tenant = await app.tenant()
const { call, subOrgId } = await provisioned(app, tenant)

const bulk = (Operations: object[], more: object = {}) => call('POST', '/Bulk', { ...more, Operations })
const user = (bulkId: string, userName = `${fresh()}@acme.example`) => ({
  method: 'POST',
  path: '/Users',
  bulkId,
  data: { userName },
})
const idsOf = ({ Operations }: { Operations: { location: string }[] }) =>
  Operations.map(({ location }) => location.split('/').at(-1) ?? '')
const statuses = (body: { Operations: { status: string }[] }) => body.Operations.map(({ status }) => status)

test('operations are performed each by itself, and refer to one another in any order', async () => {
  const { status, body } = await bulk([
    { method: 'POST', path: '/Groups', bulkId: 'g', data: { displayName: fresh(), members: [{ value: 'bulkId:u' }] } },
    user('u'),
    {
      method: 'PATCH',
      path: '/Users/bulkId:u',
      data: { Operations: [{ op: 'add', path: 'title', value: 'Engineer' }] },
    },
    { method: 'POST', path: '/Users', bulkId: 'e', data: {} },
    { method: 'DELETE', path: '/Users/nobody' },
    { method: 'GET', path: '/Users' },
    {
      method: 'POST',
      path: '/Groups',
      bulkId: 'h',
      data: { displayName: fresh(), members: [{ value: 'bulkId:unknown' }] },
    },
  ])
  expect([status, statuses(body)]).toEqual([200, ['201', '201', '200', '400', '404', '400', '400']])
  const [group, made] = body.Operations
  expect(made).toMatchObject({ method: 'POST', bulkId: 'u', version: 'W/"1"' })
  expect(body.Operations[3].response).toMatchObject({ status: '400', scimType: 'invalidValue' })
  const shown = await call('GET', `/Groups/${group.location.split('/').at(-1)}`)
  expect(shown.body.members[0].$ref).toBe(made.location)
  expect((await call('GET', `/Users/${shown.body.members[0].value}`)).body.title).toBe('Engineer')
})

test('groups that are in one another are made, and get their members', async () => {
  const group = (bulkId: string, other: string) => ({
    method: 'POST',
    path: '/Groups',
    bulkId,
    data: { displayName: fresh(), members: [{ type: 'Group', value: `bulkId:${other}` }] },
  })
  const { body } = await bulk([group('a', 'b'), group('b', 'a')])
  expect(statuses(body)).toEqual(['201', '201'])
  const ids = body.Operations.map(({ location }: { location: string }) => location.split('/').at(-1))
  const membersOf = async (id: string) => (await call('GET', `/Groups/${id}`)).body.members[0].value
  expect([await membersOf(ids[0]), await membersOf(ids[1])]).toEqual([ids[1], ids[0]])
})

test('after as many errors as were said, nothing more is done', async () => {
  const userName = `${fresh()}@acme.example`
  const { body } = await bulk([{ method: 'POST', path: '/Users', bulkId: 'e', data: {} }, user('u', userName)], {
    failOnErrors: 1,
  })
  expect(statuses(body)).toEqual(['400'])
  expect((await call('GET', `/Users?filter=userName eq "${userName}"`)).body.totalResults).toBe(0)
})

test('what is none, or too much, is refused', async () => {
  expect((await call('POST', '/Bulk', {})).body.scimType).toBe('invalidSyntax')
  expect((await bulk(Array.from({ length: 1001 }, () => ({ method: 'DELETE', path: '/Users/x' })))).status).toBe(413)
})

test('an operation that is nested too deeply is refused, and no other', async () => {
  const data = `{"userName":"ada@acme.example","deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const operation = `{"method":"POST","path":"/Users","bulkId":"deep","data":${data}}`
  const { status, body } = await call('POST', '/Bulk', `{"Operations":[${operation},${JSON.stringify(user('u'))}]}`)
  expect([status, body.Operations?.map(({ status }: { status: string }) => status)]).toEqual([200, ['400', '201']])
})

test('members that cannot be added once all is made are told of, with the group that was made', async () => {
  const group = { displayName: fresh(), members: [{ value: 'bulkId:b' }] }
  const { body } = await bulk([
    { method: 'POST', path: '/Groups', bulkId: 'a', data: group },
    { method: 'POST', path: '/Groups', bulkId: 'b', data: { members: [{ value: 'bulkId:a' }] } },
  ])
  expect(statuses(body)).toEqual(['400', '400'])
  const made = await call('GET', `/Groups/${body.Operations[0].location.split('/').at(-1)}`)
  expect([made.status, made.body.members]).toEqual([200, []])
})

test('the version is the one after members were added', async () => {
  const group = (bulkId: string, other: string) => ({
    ...{ method: 'POST', path: '/Groups', bulkId },
    data: { displayName: fresh(), members: [{ value: `bulkId:${other}` }] },
  })
  const { body } = await bulk([group('a', 'b'), group('b', 'a')])
  for (const { location, version } of body.Operations) {
    const { headers } = await call('GET', `/Groups/${location.split('/').at(-1)}`)
    expect(headers.get('etag')).toBe(version)
  }
})

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Runs while another transaction locks the users with these ids. */
async function whileHeld(ids: string[], run: () => Promise<void>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.selectFrom('users').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
    await run()
  })
}

test('a POST without a bulkId is refused, and no other operation', async () => {
  const { method, path, data } = user('none')
  const { status, body } = await bulk([{ method, path, data }, { ...user('x'), bulkId: '' }, user('y')])
  expect([status, statuses(body)]).toEqual([200, ['400', '400', '201']])
  expect(body.Operations[0]).toEqual({
    method: 'POST',
    status: '400',
    response: expect.objectContaining({ scimType: 'invalidSyntax', detail: expect.stringContaining('bulkId') }),
  })
})

test('of one organization two are under way at a time, and others do not wait for them', async () => {
  const made = idsOf((await bulk([user('a'), user('b')])).body)
  const other = await provisioned(app, tenant)
  const operations = made.map((id) => ({ method: 'DELETE', path: `/Users/${id}` }))
  const done: string[] = []
  const send = async (name: string, run: Promise<{ body: { Operations: { status: string }[] } }>) => {
    const { body } = await run
    done.push(name)
    return statuses(body)
  }
  let all: Promise<string[]>[] = []
  await whileHeld(made, async () => {
    all = operations.map((one) => send('held', bulk([one])))
    await until(async () => (await waitingForLocks()) >= 2)
    all.push(send('third', bulk([user('c')])))
    all.push(
      send('other', other.call('POST', '/Bulk', { Operations: Array.from({ length: 20 }, (_, n) => user(`o${n}`)) })),
    )
    await all.at(-1)
    expect(done).toEqual(['other'])
  })
  expect((await Promise.all(all)).slice(0, 3)).toEqual([['204'], ['204'], ['201']])
})

test('a token that ends meanwhile does nothing more', async () => {
  const [id = ''] = idsOf((await bulk([user('a')])).body)
  let running: ReturnType<typeof bulk> | undefined
  await whileHeld([id], async () => {
    running = bulk([{ method: 'DELETE', path: `/Users/${id}` }, user('b'), user('c')])
    await until(async () => (await waitingForLocks()) >= 1)
    expect((await tenant.post('/v1/scim/config', { subOrgId, action: 'rotate-token' })).status).toBe(200)
  })
  const body = (await running)?.body
  expect(statuses(body)).toEqual(['204', '401', '401'])
})
