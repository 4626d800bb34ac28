import { type CompiledQuery, sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { sealCursor } from '../../../platform/http/pagination.ts'
import { newId } from '../../../platform/ids.ts'
import { consoleDirectory, resolveReach } from '../../../platform/tenancy/directory.ts'
import { selectUserInReach } from './store.ts'

const { tenant, app, advance } = await startApp()
const { platform } = app
const { db } = platform

const t = await tenant()
const acme = await t.organization('acme')
const globex = await t.organization('globex')

async function addUser(subOrgId: string, email: string, fields: Record<string, unknown> = {}) {
  const reply = await t.post('/v1/users', { subOrgId, email, ...fields })
  expect(reply.status, reply.text).toBe(200)
  return reply.body.user
}

const people = [
  await addUser(acme, 'ada@example.com', { displayName: 'Ada Lovelace', externalId: 'e1' }),
  await addUser(acme, 'bob@example.com', { displayName: '100% Bob_X' }),
  await addUser(globex, 'ada@example.com', { displayName: 'Other Ada' }),
  await addUser(globex, 'zed@example.com', { displayName: 'Élodie', externalId: 'e1' }),
]
const [ada, bob, otherAda, zed] = people.map((user) => user.id)
const otherAdaCreatedAt: string = people[2].createdAt

async function idsOf(query: string, caller: Pick<typeof t, 'get'> = t): Promise<string[]> {
  const reply = await caller.get(`/v1/users?${query}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.users.map((user: { id: string }) => user.id)
}

test('an org-wide key lists its environment, in the order of creation, or one organization of it', async () => {
  const reply = await t.get('/v1/users')
  expect(reply.body).toEqual({ users: people, has_more: false, next_cursor: null })
  expect(await idsOf(`subOrgId=${acme}`)).toEqual([ada, bob])
  expect(await idsOf('order=desc')).toEqual([zed, otherAda, bob, ada])
  expect(await idsOf('', await t.withKey({ subOrgId: globex }))).toEqual([otherAda, zed])
  expect(await idsOf('', await t.withKey({ environment: 'staging' }))).toEqual([])
  expect(await idsOf('', await tenant())).toEqual([])
})

test.each([
  ['email=ADA%40example.com', [ada, otherAda]],
  ['email=ada', []],
  ['externalId=e1', [ada, zed]],
  ['externalId=E1', []],
  ['q=AD', [ada, otherAda]],
  ['q=lovelace', []],
  ['q=ada+love', [ada]],
  ['q=%C3%89lo', [zed]],
  ['q=100%25', [bob]],
  ['q=1%25', []],
  ['q=100%25+bob_', [bob]],
  ['q=___%40', []],
  ['q=%5C', []],
  ['role=member', [ada, bob, otherAda, zed]],
  ['role=admin', []],
  ['active=true&q=ada', [ada, otherAda]],
  ['active=false', []],
])('%s finds %j', async (query, ids) => {
  expect(await idsOf(query)).toEqual(ids)
})

test.each([
  'active=maybe',
  'role=owner',
  'updatedSince=yesterday',
  'updatedSince=2026-12-31T23:59:60Z',
  'q=',
  'limit=0',
  'limit=1001',
  'page=2',
  'cursor=x',
])('%s is refused', async (query) => {
  const reply = await t.get(`/v1/users?${query}`)
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
})

test('the account’s own team is in no list and no look-up', async () => {
  const team = await consoleDirectory(platform, callerOf(t))
  const id = newId()
  await db
    .insertInto('users')
    .values({
      directory_id: team.id,
      environment_id: team.environmentId,
      id,
      email: 'owner@example.com',
      email_norm: 'owner@example.com',
      source: 'api',
    })
    .execute()
  expect(await idsOf('')).toEqual([ada, bob, otherAda, zed])
  expect(await idsOf('email=owner@example.com')).toEqual([])
  expect((await t.get('/v1/users?include_total=true')).body.total).toBe(4)
  expect((await t.get(`/v1/users/${id}`)).status).toBe(404)
})

test('q finds by names and phone too, from their beginning', async () => {
  const own = await tenant()
  const subOrgId = await own.organization()
  const add = async (fields: object) =>
    (await own.post('/v1/users', { subOrgId, email: `${newId()}@example.com`, ...fields })).body.user.id
  const grace = await add({ firstName: 'Grace', lastName: 'Höpper', phone: '+1 (415) 555-0123' })
  const single = await add({ firstName: 'Greta' })
  const last = await add({ lastName: '_Hopper', phone: '4155550199' })
  for (const [q, found] of [
    ['gr', [grace, single]],
    ['GRACE HÖ', [grace]],
    ['höpper', [grace]],
    ['_h', [last]],
    ['opper', []],
    ['+1415', [grace]],
    ['1-415-555', [grace]],
    ['415 555', [last]],
    ['41', []],
    ['1415x', []],
  ] as const) {
    for (const query of [`q=${encodeURIComponent(q)}`, `subOrgId=${subOrgId}&q=${encodeURIComponent(q)}`])
      expect([q, await idsOf(query, own)]).toEqual([q, found])
  }
})

test('what changed since a moment', async () => {
  const { user } = (await t.patch(`/v1/users/${bob}`, { subOrgId: acme, jobTitle: 'Builder' })).body
  expect(await idsOf(`updatedSince=${encodeURIComponent(user.updatedAt)}`)).toEqual([bob])
  const later = new Date(Date.parse(user.updatedAt) + 1).toISOString()
  expect(await idsOf(`updatedSince=${later}`)).toEqual([])
})

test('users who changed come in the order of their changes, and other lists refuse the cursor', async () => {
  const own = await tenant()
  const subOrgId = await own.organization()
  const made: string[] = []
  for (const name of ['a', 'b', 'c'])
    made.push((await own.post('/v1/users', { subOrgId, email: `${name}@example.com` })).body.user.id)
  const [first, second, third] = made
  await advance(60)
  const changed = await own.patch(`/v1/users/${first}`, { subOrgId, jobTitle: 'Builder' })
  const since = encodeURIComponent(changed.body.user.createdAt)
  expect(await idsOf(`updatedSince=${since}`, own)).toEqual([second, third, first])
  expect(await idsOf(`updatedSince=${since}&order=desc`, own)).toEqual([first, third, second])
  const page = (await own.get(`/v1/users?updatedSince=${since}&limit=2`)).body
  expect([page.users.map(({ id }: { id: string }) => id), page.has_more]).toEqual([[second, third], true])
  // A user who changes while the pages are read appears again on a later page.
  await own.patch(`/v1/users/${second}`, { subOrgId, jobTitle: 'Painter' })
  const rest = `updatedSince=${since}&limit=2&cursor=${page.next_cursor}`
  expect(await idsOf(rest, own)).toEqual([first, second])
  const byAge = (await own.get('/v1/users?limit=1')).body.next_cursor
  for (const query of [`cursor=${page.next_cursor}`, `updatedSince=${since}&cursor=${byAge}`]) {
    const refused = await own.get(`/v1/users?${query}`)
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'cursor'])
  }
})

test('a cursor that the release before made for updatedSince is refused, and a new walk lists the same users', async () => {
  const since = encodeURIComponent(otherAdaCreatedAt)
  const { users } = (await t.get(`/v1/users?updatedSince=${since}`)).body
  for (const order of ['asc', 'desc']) {
    // The old cursor is bound to the order only, and its position is by creation time.
    const position = { at: new Date(otherAdaCreatedAt), id: otherAda }
    const cursor = sealCursor(platform, '/v1/users', order, position)
    const refused = await t.get(`/v1/users?updatedSince=${since}&order=${order}&cursor=${cursor}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
    expect(refused.body.errors).toEqual([expect.objectContaining({ field: 'cursor', code: 'cursor' })])
    const again = await t.get(`/v1/users?updatedSince=${since}&order=${order}`)
    expect(again.body.users).toEqual(order === 'asc' ? users : users.toReversed())
    // Lists in the order of creation still accept it, since they have not changed.
    expect((await t.get(`/v1/users?order=${order}&cursor=${cursor}`)).status).toBe(200)
  }
})

test('pages follow next_cursor and keep the filter in Link', async () => {
  const first = await t.get('/v1/users?limit=1&email=ada@example.com&include_total=true')
  expect(first.body).toMatchObject({ users: [{ id: ada }], has_more: true, total: 2 })
  const link = first.headers.get('link') ?? ''
  expect(link).toBe(
    `<http://localhost:4000/api/v1/users?limit=1&email=ada%40example.com&include_total=true&cursor=${first.body.next_cursor}>; rel="next"`,
  )
  const { pathname, search } = new URL(link.slice(1, link.indexOf('>')))
  const second = await t.get(pathname + search)
  expect(second.body).toMatchObject({ users: [{ id: otherAda }], has_more: false, next_cursor: null, total: 2 })
  expect(second.headers.get('link')).toBeNull()
  const turned = await t.get(`/v1/users?order=desc&cursor=${first.body.next_cursor}`)
  expect([turned.status, turned.body.errors[0].field]).toEqual([400, 'cursor'])
})

test('a page says the organization of each user', async () => {
  const reply = await t.get('/v1/users?email=ada@example.com')
  expect(reply.body.users.map((user: { subOrgId: string }) => user.subOrgId)).toEqual([acme, globex])
})

test('a look-up by id reads the rows it finds, and no other', async () => {
  await fillDirectories()
  const inAcme = await resolveReach(platform, callerOf(t), acme)
  const everywhere = await resolveReach(platform, callerOf(t), null)
  const plans = [
    [await planOf(selectUserInReach(db, inAcme, ada)), 'by_auth_account'],
    [await planOf(selectUserInReach(db, everywhere, ada)), 'by_auth_account'],
  ] as const
  for (const [plan, index] of plans) {
    expect(plan).toContain(index)
    expect(plan, plan).not.toMatch(/Seq Scan on users|users_by_age|environment_by_age/)
  }
})

function callerOf(owner: typeof t) {
  const { accountId, environmentId } = owner
  return { accountId, environmentId, environmentSlug: 'production', organizationId: null }
}

let filled = false
/** Adds several thousand users, most of them in one environment, where an index helps least. */
async function fillDirectories() {
  if (filled) return
  filled = true
  // In parts, because of the statement timeout.
  for (let from = 1; from <= 4000; from += 500)
    await sql`insert into users (directory_id, id, environment_id, email, email_norm, display_name, first_name, last_name,
      phone, external_id, source)
    select d.id, gen_random_uuid(), d.environment_id, 'load' || n || '@example.com', 'load' || n || '@example.com',
      'Load ' || n, 'First ' || n, 'Last ' || n, '+' || n, 'load' || n, 'bulk'
    from directories d, generate_series(${from}::int, ${from + 499}::int) n
      where d.organization_id in (${acme}, ${globex})`.execute(db)
  await sql`analyze users`.execute(db)
}

async function planOf(query: { compile(): CompiledQuery }): Promise<string> {
  const { sql: text, parameters } = query.compile()
  const { rows } = await platform.database.pool.query({ text: `explain ${text}`, values: [...parameters] })
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
