import { once } from 'node:events'
import { request } from 'node:http'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { chainAll } from '../../../../test/people/audit.ts'
import { joinedMember } from '../../../../test/people/team.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { bearing } from '../../../../test/walkers/own-world.ts'

const service = await startApp()
const { platform } = service.app
const { db } = platform
const tenant = await service.tenant()
const subOrgId = await tenant.organization('read')
const wide = await tenant.withKey({ scopes: ['audit.read'] })
const own = await tenant.withKey({ subOrgId, scopes: ['audit.read'] })

type Query = Record<string, string>

async function page(caller: Pick<typeof tenant, 'get'>, query: Query = {}) {
  const reply = await caller.get(`/v1/audit/events?${new URLSearchParams(query)}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}

async function all(caller: Pick<typeof tenant, 'get'>, query: Query = {}) {
  const events = []
  for (let after: string | null = null; ; ) {
    const found = await page(caller, after === null ? query : { ...query, after })
    events.push(...found.events)
    after = found.next_cursor
    expect(found.has_more).toBe(after !== null)
    if (after === null) return events
  }
}

async function exported(query: Query = {}, headers: Record<string, string> = {}): Promise<string> {
  const reply = await fetch(`${service.baseUrl}/v1/audit/export?${new URLSearchParams({ subOrgId, ...query })}`, {
    headers: { 'x-api-key': wide.key, ...headers },
  })
  expect(reply.status).toBe(200)
  return reply.text()
}

const headers = { 'x-end-user-ip': '203.0.113.7', 'x-end-user-agent': '=HYPERLINK("http://evil.example")' }
const created = await tenant.post('/v1/users', { subOrgId, email: 'ada@example.com' }, headers)
const userId = created.body.user.id
await tenant.patch(`/v1/users/${userId}`, { subOrgId, firstName: 'Ada, "the first"' })
await tenant.post('/v1/users', { subOrgId, email: 'kay_x@example.com' })

test('what the account’s own team does is left out, and ends no list', async () => {
  const one = await service.tenant()
  const organization = await one.organization()
  const add = async (email: string) =>
    expect((await one.post('/v1/users', { subOrgId: organization, email })).status).toBe(200)
  for (const name of ['a', 'b', 'c', 'd']) await add(`${name}@example.com`)
  // The second newest event is about the team.
  await joinedMember(service, one, 'developer')
  await add('e@example.com')
  const events = await all(one, { limit: '2' })
  expect(events.filter(({ type }: { type: string }) => type === 'user.created')).toHaveLength(5)
  expect(events.map(({ type }: { type: string }) => type)).not.toContain('session.created')
  const text = await (await fetch(`${service.baseUrl}/v1/audit/export`, { headers: { 'x-api-key': one.key } })).text()
  expect(text.split('"user.created"')).toHaveLength(6)
})

test('shows who did what to whom, from where and in which request, before and after, newest first', async () => {
  const events = await all(own)
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['user.created', 'user.updated', 'user.created'])
  expect(events[2]).toEqual({
    id: expect.stringMatching(/^evt_/),
    type: 'user.created',
    timestamp: expect.any(String),
    api_version: expect.any(String),
    environment: 'production',
    sub_org_id: subOrgId,
    actor: { type: 'api_key', id: expect.any(String), on_behalf_of: null, via: null },
    target: { type: 'user', id: userId },
    request_id: created.headers.get('x-request-id'),
    ip_address: '203.0.113.7',
    user_agent: headers['x-end-user-agent'],
    data: created.body.user,
    previous: null,
  })
  expect([events[1].data.firstName, events[1].previous.firstName]).toEqual(['Ada, "the first"', null])
})

test('an organization sees its own alone, whoever has all chooses, and others see nothing', async () => {
  const other = await tenant.organization('other')
  await tenant.post('/v1/users', { subOrgId: other, email: 'eve@example.com' })
  const organizations = (events: { sub_org_id: string }[]) => [...new Set(events.map((event) => event.sub_org_id))]
  expect(organizations(await all(own))).toEqual([subOrgId])
  expect(organizations(await all(wide))).toEqual(expect.arrayContaining([subOrgId, other]))
  expect(organizations(await all(wide, { subOrgId: other }))).toEqual([other])
  expect((await own.get(`/v1/audit/events?subOrgId=${other}`)).status).toBe(403)
  const stranger = await (await service.tenant()).withKey({ scopes: ['audit.read'] })
  expect((await stranger.get(`/v1/audit/events?subOrgId=${subOrgId}`)).status).toBe(404)
  expect(organizations(await all(stranger))).not.toContain(subOrgId)
  const lines = (await exported())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(organizations(lines)).toEqual([subOrgId])
})

test('names the people and keys of a page as they are called now, each caller those it reaches', async () => {
  const place = await tenant.organization()
  const limited = await tenant.withKey({ subOrgId: place })
  const { user } = (await limited.post('/v1/users', { email: 'grace@example.com' })).body
  const member = await joinedMember(service, tenant, 'admin')
  expect((await tenant.post('/v1/users', { subOrgId: place, email: 'bo@example.com' })).status).toBe(200)
  const names = async (caller: Pick<typeof tenant, 'get'>, query: Query = {}) =>
    (await page(caller, { subOrgId: place, limit: '1000', ...query })).names
  const bo = (await tenant.get(`/v1/users?subOrgId=${place}&email=bo@example.com`)).body.users[0]
  const people = { [user.id]: 'grace@example.com', [bo.id]: 'bo@example.com' }
  const keys = (await tenant.get('/v1/api-keys?limit=200')).body.apiKeys
  const nameOfKey = (id: string) => keys.find((key: { id: string }) => key.id === id).name
  const actors = (await page(tenant, { subOrgId: place })).events.map(
    ({ actor }: { actor: { id: string } }) => actor.id,
  )
  const all = { ...people, ...Object.fromEntries(actors.map((id: string) => [id, nameOfKey(id)])) }
  expect(await names(tenant)).toEqual(all)
  const { actor } = (await page(limited, { target_id: user.id })).events[0]
  expect(await names(limited)).toEqual({ ...people, [actor.id]: nameOfKey(actor.id) })
  await tenant.patch(`/v1/users/${user.id}`, { subOrgId: place, displayName: 'Grace Hopper' })
  expect((await names(limited))[user.id]).toBe('Grace Hopper')
  await tenant.delete(`/v1/users/${user.id}?subOrgId=${place}`)
  expect(await names(limited)).not.toHaveProperty(user.id)
  expect(await names(wide, { types: 'user.moved' })).toEqual({})
  // A member who changes something is named only to callers that reach the whole account.
  expect(
    (
      await bearing(service, member.session.access_token).patch(`/v1/users/${bo.id}`, {
        subOrgId: place,
        firstName: 'Bo',
      })
    ).status,
  ).toBe(200)
  expect(Object.values(await names(tenant, { target_id: bo.id }))).toContain(member.email)
  expect(Object.values(await names(limited, { target_id: bo.id }))).not.toContain(member.email)
  // The scope of the audit log alone does not show names.
  const auditor = await tenant.withKey({ subOrgId: place, scopes: ['audit.read'] })
  const seen = await page(auditor, { subOrgId: place, limit: '1000' })
  expect([seen.events.length > 0, seen.names]).toEqual([true, {}])
})

test('shows a caller the names of users, members of the team, and keys that it could list', async () => {
  const place = await tenant.organization()
  const member = await joinedMember(service, tenant, 'admin')
  const byMember = bearing(service, member.session.access_token)
  const made = await byMember.post('/v1/users', { subOrgId: place, email: 'cleo@example.com' })
  const byKey = await tenant.post('/v1/users', { subOrgId: place, email: 'dan@example.com' })
  const users = ['cleo@example.com', 'dan@example.com']
  const { actor } = (await page(tenant, { target_id: byKey.body.user.id })).events[0]
  const keyName = (await tenant.get(`/v1/api-keys/${actor.id}`)).body.apiKey.name
  const cases: [string[], string[]][] = [
    [[], []],
    [['users.read'], users],
    [['members.read'], [member.email]],
    [['api_keys.read'], [keyName]],
    [
      ['users.read', 'members.read', 'api_keys.read'],
      [...users, member.email, keyName],
    ],
  ]
  for (const [scopes, wanted] of cases) {
    const wide = await tenant.withKey({ scopes: ['audit.read', ...scopes] })
    const narrow = await tenant.withKey({ subOrgId: place, scopes: ['audit.read', ...scopes] })
    for (const query of [{ subOrgId: place }, {}] as const) {
      const shown = new Set<unknown>()
      for (const target_id of [made.body.user.id, byKey.body.user.id])
        for (const name of Object.values((await page(wide, { ...query, target_id })).names)) shown.add(name)
      expect([scopes, [...shown].sort()]).toEqual([scopes, wanted.toSorted()])
    }
    const own = Object.values((await page(narrow, { limit: '1000' })).names)
    expect([scopes, own.sort()]).toEqual([scopes, wanted.filter((name) => users.includes(name)).sort()])
  }
})

describe('finds', () => {
  const update = ['user.updated']
  test.each<[string, () => Query, string[]]>([
    ['by type', () => ({ types: 'user.updated' }), update],
    ['by the beginning of types', () => ({ types: 'session.*' }), []],
    ['by target', () => ({ target_type: 'user', target_id: userId }), ['user.updated', 'user.created']],
    ['by user', () => ({ user_id: userId }), ['user.updated', 'user.created']],
    ['by address', () => ({ ip_address: '203.0.113.7' }), ['user.created']],
    ['by request', () => ({ request_id: created.headers.get('x-request-id') ?? '' }), ['user.created']],
    ['by actor', () => ({ actor_type: 'system' }), []],
    ['by another actor', () => ({ actor_id: userId }), []],
    ['by text', () => ({ q: 'ADA, ' }), update],
    ['by text', () => ({ q: 'y_X@' }), ['user.created']],
    ['by text that is no pattern', () => ({ q: 'a_a@' }), []],
    ['all of it together', () => ({ q: 'ada', types: 'user.updated', ip_address: '203.0.113.7' }), []],
  ])('%s', async (_, query, types) => {
    expect((await all(own, query())).map(({ type }: { type: string }) => type)).toEqual(types)
  })

  test('by time, long ago too, looking at no more than what was about then', async () => {
    const times = async (query: Query) => (await all(own, { ...query, types: 'user.created' })).map((e) => e.data.email)
    const start = new Date(platform.clock.now().getTime() + 60_000).toISOString()
    await chainAll(platform)
    for (const n of [1, 2, 3]) {
      await service.advance(24 * 3600)
      await tenant.post('/v1/users', { subOrgId, email: `day${n}@example.com` })
      await chainAll(platform)
    }
    const day = (n: number) => new Date(Date.parse(start) + (n * 24 - 12) * 3600_000).toISOString()
    expect(await times({ from: day(1) })).toEqual(['day3@example.com', 'day2@example.com', 'day1@example.com'])
    expect(await times({ from: day(2), to: day(3) })).toEqual(['day2@example.com'])
    expect(await times({ to: day(1) })).toEqual(['kay_x@example.com', 'ada@example.com'])
    expect(await times({ from: day(4) })).toEqual([])
    const whole = (await all(wide, { from: day(2), to: day(3), types: 'user.created' })).map((e) => e.data.email)
    expect(whole).toEqual(['day2@example.com'])
  })
})

test('refuses what it does not know', async () => {
  for (const query of [
    'types=user.exploded',
    'after=nonsense',
    'cursor=nonsense',
    'after=&cursor=',
    'from=yesterday',
    'limit=1001',
    'actor_type=ghost',
    'user_id=1',
  ])
    expect((await own.get(`/v1/audit/events?${query}`)).status, query).toBe(400)
  expect((await own.get('/v1/audit/export?types=user.exploded')).status).toBe(400)
  expect((await own.get('/v1/audit/export?format=xml')).status).toBe(400)
  const { next_cursor } = await page(wide, { limit: '1' })
  expect((await own.get(`/v1/audit/events?after=${next_cursor}`)).status).toBe(400)
  const both = await wide.get(`/v1/audit/events?after=${next_cursor}&cursor=${next_cursor}`)
  expect([both.status, both.body.errors[0]]).toMatchObject([400, { field: 'cursor', code: 'ambiguous' }])
})

test('takes cursor for after, and ids in either case', async () => {
  const { next_cursor } = await page(wide, { limit: '1' })
  const rest = await page(wide, { limit: '1', after: next_cursor })
  expect(rest.events).toHaveLength(1)
  expect((await page(wide, { limit: '1', cursor: next_cursor })).events).toEqual(rest.events)
  const [{ actor, target }] = rest.events
  for (const [filter, id] of Object.entries({ actor_id: actor.id, target_id: target.id, user_id: target.id }))
    expect((await page(wide, { [filter]: id.toUpperCase() })).events).toEqual(
      (await page(wide, { [filter]: id })).events,
    )
})

test('pages stay what they are while others write', async () => {
  const organization = await tenant.organization()
  const add = (n: number) => tenant.post('/v1/users', { subOrgId: organization, email: `w${n}@example.com` })
  for (let n = 0; n < 7; n++) await add(n)
  const seen = []
  let after: string | null = null
  for (let n = 7; after !== null || seen.length === 0; n++) {
    const found = await page(wide, { subOrgId: organization, limit: '2', ...(after === null ? {} : { after }) })
    seen.push(...found.events.map((event: { data: { email: string } }) => event.data.email))
    after = found.next_cursor
    await add(n)
  }
  expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `w${n}@example.com`))
})

describe('an export', () => {
  test('goes on where a page has ended, and refuses the cursor of another reach', async () => {
    const { next_cursor } = await page(wide, { subOrgId, limit: '2' })
    const ids = (text: string) => text.split('\n').flatMap((line) => (line ? [JSON.parse(line).id] : []))
    const whole = ids(await exported())
    expect(whole.length).toBeGreaterThan(2)
    expect(ids(await exported({ after: next_cursor }))).toEqual(whole.slice(2))
    const elsewhere = await wide.get(`/v1/audit/export?after=${next_cursor}`)
    expect([elsewhere.status, elsewhere.body.errors[0].field]).toEqual([400, 'after'])
  })

  test('as CSV has a line for each event, and no cell that a spreadsheet would calculate', async () => {
    for (const csv of [await exported({ format: 'csv' }), await exported({}, { accept: 'text/csv' })]) {
      const lines = csv.split('\r\n')
      expect(lines[0]).toBe(
        'id,type,timestamp,environment,sub_org_id,actor_type,actor_id,target_type,target_id,request_id,ip_address,user_agent,data,previous,on_behalf_of_id,on_behalf_of_name,via_type,via_id',
      )
      expect(lines).toHaveLength((await all(own)).length + 2)
      expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
      expect(csv).toContain('Ada, \\""the first\\""')
    }
  })

  test('as NDJSON has what the list has, found by the same', async () => {
    const lines = (await exported({ types: 'user.updated' }))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toEqual(await all(own, { types: 'user.updated' }))
    expect(await exported({ types: 'session.revoked' })).toBe('')
  })
})

const EVENTS = 80_000
const LISTED = 10
const large = await service.tenant()
const big = await large.organization('big')
await large.post('/v1/users', { subOrgId: big, email: 'big@example.com' })
const address = `${service.baseUrl}/v1/audit/export?subOrgId=${big}`
const asLarge = { headers: { 'x-api-key': large.key } }
const pagesOf = (texts: string[]) => texts.filter((text) => text.includes('last_scanned')).length

describe(`an export of ${EVENTS} events`, () => {
  beforeAll(async () => {
    for (let start = 1; start < EVENTS; start += 20_000)
      await sql`insert into events (directory_id, account_id, environment_id, id, type, actor_type, actor_id, data, created_at)
    select e.directory_id, e.account_id, e.environment_id, (left(e.id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, e.type,
      e.actor_type, e.actor_id, e.data, e.created_at
    from (select e.* from events e join directories d on d.id = e.directory_id where d.organization_id = ${big} limit 1) e,
      generate_series(${start}::int, ${Math.min(start + 20_000, EVENTS) - 1}::int) n`.execute(db)
  }, 120_000)

  test('is a file, of which HEAD asks for nothing but the first page', async () => {
    let head: Response | undefined
    const texts = await recordStatements(async () => {
      head = await fetch(address, { method: 'HEAD', ...asLarge })
    })
    expect([head?.status, head?.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
    expect(head?.headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"')
    expect(pagesOf(texts)).toBe(1)
  })

  test('has each once, and asks the database for a bounded page at a time', { timeout: 120_000 }, async () => {
    const ids = new Set<string>()
    let largest = 0
    const texts = await recordStatements(async () => {
      const reply = await fetch(address, asLarge)
      let rest = ''
      for await (const chunk of reply.body ?? []) {
        const lines = (rest + Buffer.from(chunk).toString()).split('\n')
        largest = Math.max(largest, chunk.length)
        rest = lines.pop() ?? ''
        for (const line of lines) ids.add(line.slice(7, 47))
      }
      expect(rest).toBe('')
    })
    expect(ids.size).toBe(EVENTS)
    expect(pagesOf(texts)).toBe(EVENTS / 1000)
    expect(largest).toBeLessThan(4_000_000)
  })

  test('makes nothing ahead for a client that does not read, and nothing more for one that went', async () => {
    // Reads a known number of pages through another route, so that the pages that the export makes in the meantime
    // can be counted.
    const turns = async () => {
      for (let n = 0; n < LISTED; n++) await page(large, { subOrgId: big, limit: '1000' })
    }
    const pagesBeside = async () => pagesOf(await recordStatements(turns)) - LISTED
    const asked = request(address, asLarge)
    let asking = 0
    const first = await recordStatements(async () => {
      asked.end()
      const [reply] = await once(asked, 'response')
      reply.pause()
      await turns()
    })
    asking += pagesOf(first) - LISTED
    // Sockets buffer a few megabytes. Then the export waits.
    await until(async () => {
      const more = await pagesBeside()
      asking += more
      return more === 0
    })
    expect(asking).toBeGreaterThan(0)
    expect(asking).toBeLessThan(EVENTS / 2000)
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`.execute(db)
    expect(rows).toEqual([{ count: 0 }])
    asked.on('error', () => undefined)
    asked.destroy()
    expect(await pagesBeside()).toBeLessThanOrEqual(1)
    expect(await pagesBeside()).toBe(0)
  })
})
