import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { STREAM_DAYS } from '../../../platform/events/event-epoch.ts'

const service = await startApp()
const { app, advance } = service
const { db } = app.platform
const tenant = await service.tenant()

async function page(caller: Pick<typeof tenant, 'get'>, query: Record<string, string> = {}) {
  const reply = await caller.get(`/v1/events?${new URLSearchParams(query)}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}

/** Reads all events from a cursor on. */
async function readAll(caller: Pick<typeof tenant, 'get'>, query: Record<string, string> = {}) {
  const events = []
  let after = query['after']
  for (;;) {
    const found = await page(caller, { ...query, ...(after === undefined ? {} : { after }) })
    events.push(...found.events)
    after = found.next_cursor
    if (!found.has_more) return { events, cursor: found.next_cursor }
  }
}

/** A cursor after all events so far. The stream waits for every open transaction in the cluster. */
async function cursorNow(): Promise<string> {
  const id = await tenant.organization()
  return until(async () => {
    const { events, cursor } = await readAll(tenant, { types: 'organization.created' })
    return events.some((event) => event.data.id === id) ? cursor : null
  }, 20_000)
}

/** Reads the events once `count` of them can be read. */
async function readSettled(count: number, query: Record<string, string> = {}) {
  return until(async () => {
    const all = await readAll(tenant, query)
    return all.events.length >= count ? all : null
  }, 20_000)
}

test('an address is told without its zone, which may be any text', async () => {
  const subOrgId = await tenant.organization()
  const cursor = await cursorNow()
  const headers = { 'x-end-user-ip': `2001:db8::7%.call.evil.example${'x'.repeat(9000)}` }
  await tenant.post('/v1/users', { subOrgId, email: newEmail() }, headers)
  const { events } = await readSettled(1, { after: cursor })
  expect(events.map(({ ip_address }) => ip_address)).toEqual(['2001:db8::7'])
})

test('tells what happened, to whom, by whom and from where', async () => {
  const subOrgId = await tenant.organization()
  const cursor = await cursorNow()
  const headers = { 'x-end-user-ip': '203.0.113.7', 'x-end-user-agent': 'Browser/1' }
  const created = await tenant.post('/v1/users', { subOrgId, email: 'ada@example.com' }, headers)
  const { id } = created.body.user
  await tenant.patch(`/v1/users/${id}`, { subOrgId, firstName: 'Ada' })
  const { events } = await readSettled(2, { after: cursor })
  const common = {
    api_version: '2026-11-01',
    environment: 'production',
    sub_org_id: subOrgId,
    actor: { type: 'api_key', id: expect.stringMatching(/^[0-9a-f-]{36}$/), on_behalf_of: null, via: null },
    target: { type: 'user', id },
  }
  expect(events).toEqual([
    {
      ...common,
      id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      type: 'user.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      request_id: created.headers.get('x-request-id'),
      ip_address: '203.0.113.7',
      user_agent: 'Browser/1',
      data: created.body.user,
      previous: null,
    },
    expect.objectContaining({
      ...common,
      type: 'user.updated',
      ip_address: null,
      user_agent: null,
      data: expect.objectContaining({ firstName: 'Ada' }),
      previous: expect.objectContaining({ firstName: null }),
    }),
  ])
})

describe('reads', () => {
  test('of one organization by its key, of the whole environment by an org-wide one, of no other account', async () => {
    const [one, two] = [await tenant.organization(), await tenant.organization()]
    const cursor = await cursorNow()
    for (const subOrgId of [one, two]) await tenant.post('/v1/users', { subOrgId, email: 'eve@example.com' })
    await (await service.tenant()).organization()
    const both = await readSettled(2, { after: cursor })
    expect(both.events.map((event) => event.sub_org_id)).toEqual([one, two])
    const scoped = await readAll(await tenant.withKey({ subOrgId: one }))
    expect(scoped.events.map((event) => [event.type, event.sub_org_id])).toEqual([['user.created', one]])
    expect((await readAll(tenant, { subOrgId: two })).events).toHaveLength(1)
    expect((await readAll(await tenant.withKey({ environment: 'staging' }))).events).toEqual([])
    // A cursor is only valid for the organizations that it was made for.
    const foreign = await tenant.get(`/v1/events?subOrgId=${one}&after=${cursor}`)
    expect([foreign.status, foreign.body.code, foreign.body.errors[0].field]).toEqual([400, 'invalid_request', 'after'])
  })

  test('of some types, by name or by what they begin with', async () => {
    const subOrgId = await tenant.organization()
    const cursor = await cursorNow()
    await tenant.post('/v1/users', { subOrgId, email: 'kay@example.com' })
    await tenant.patch(`/v1/organizations/${subOrgId}`, { name: 'Other' })
    await readSettled(2, { after: cursor })
    const types = async (filter: string) =>
      (await readAll(tenant, { after: cursor, types: filter })).events.map((event) => event.type)
    expect(await types('user.created')).toEqual(['user.created'])
    expect(await types('organization.*,session.revoked')).toEqual(['organization.updated'])
    expect(await types('*')).toEqual(['user.created', 'organization.updated'])
    const unknown = await tenant.get('/v1/events?types=user.created,user.exploded')
    expect([unknown.status, unknown.body.errors]).toEqual([
      400,
      [{ field: 'types', code: 'enum', message: 'types names unknown types: "user.exploded"' }],
    ])
    expect(unknown.body.detail).toContain('user.deleted')
  })

  test('in pages, whose cursor goes on exactly behind the last', async () => {
    const subOrgId = await tenant.organization()
    const cursor = await cursorNow()
    const users = Array.from({ length: 25 }, (_, n) => ({ email: `p${n}@example.com` }))
    await tenant.put('/v1/users', { subOrgId, users })
    const all = await readSettled(25, { after: cursor })
    const paged = await readAll(tenant, { after: cursor, limit: '4' })
    expect(paged.events).toEqual(all.events)
    const first = await page(tenant, { after: cursor, limit: '25' })
    expect([first.events.length, first.has_more]).toEqual([25, false])
  })
})

test(`goes ${STREAM_DAYS} days back, and says when a cursor is older`, async () => {
  await cursorNow()
  const old = await readAll(tenant)
  // Without this event, nothing would be between the cursor and the mark.
  await tenant.organization('between')
  await sql`insert into event_marks (epoch, tx_id) select epoch, pg_current_xact_id() from event_stream`.execute(db)
  await tenant.organization('newer')
  expect((await readAll(tenant)).events.length).toBeGreaterThanOrEqual(old.events.length)
  await advance((STREAM_DAYS + 1) * 24 * 3600)
  const expired = await tenant.get(`/v1/events?after=${old.cursor}`)
  expect([expired.status, expired.body.code]).toEqual([400, 'cursor_expired'])
  const { events } = await until(async () => {
    const found = await readAll(tenant)
    return found.events.some((event) => event.data.slug === 'newer') ? found : null
  }, 20_000)
  expect(events.length).toBeLessThan(old.events.length)
})

test('50 writers and a reader that polls: every event once, in one order, with one that commits 3 seconds late', async () => {
  const watched = await service.tenant()
  const subOrgId = await watched.organization()
  const { withKey } = watched
  const reader = await withKey({ scopes: ['events.read'] })
  const { cursor } = await until(async () => {
    const found = await readAll(reader)
    return found.events.length ? found : null
  })
  const own = await db.selectFrom('directories').selectAll().where('organization_id', '=', subOrgId).execute()
  expect(own).toEqual([])

  let writing = true
  const seen: string[] = []
  const reading = (async () => {
    let after = cursor
    for (let stopped = false; !stopped; ) {
      stopped = !writing
      const found = await readAll(reader, { after })
      seen.push(...found.events.map((event) => event.data.email ?? event.type))
      after = found.cursor
    }
  })()

  // A transaction that writes first and commits last, while others commit.
  await watched.post('/v1/users', { subOrgId, email: 'first@example.com' })
  const late = new pg.Client({ connectionString: service.databaseUrl })
  await late.connect()
  await late.query('begin')
  await late.query(
    `insert into events (directory_id, id, type, actor_type, data)
      select id, gen_random_uuid(), 'auth.settings.updated', 'system', '{"email":"late@example.com"}' from directories
      where organization_id = $1`,
    [subOrgId],
  )
  const emails = Array.from({ length: 50 }, (_, writer) =>
    Array.from({ length: 4 }, (_, n) => `w${writer}-${n}@example.com`),
  )
  await Promise.all(
    emails.map(async (own) => {
      for (const email of own) expect((await watched.post('/v1/users', { subOrgId, email })).status).toBe(200)
    }),
  )
  await late.query('select pg_sleep(3)')
  await late.query('commit')
  await late.end()
  const wanted = [...emails.flat(), 'first@example.com', 'late@example.com']
  await until(async () => seen.length >= wanted.length, 20_000)
  writing = false
  await reading
  expect([...seen].sort()).toEqual(wanted.sort())
  // A later reader gets the same order.
  const again = await readAll(reader, { after: cursor })
  expect(again.events.map((event) => event.data.email)).toEqual(seen)
  // The events of one writer are in the order in which it wrote them.
  for (const own of emails) expect(seen.filter((email) => own.includes(email))).toEqual(own)
})
