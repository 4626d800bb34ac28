import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Caller, startApp, until } from '../../../test/harness.ts'

const service = await startApp()
const { db } = service.app.platform
const tenant = await service.tenant()
const subOrgId = await tenant.organization()

const create = (key: string, email: string) => tenant.post('/v1/users', { subOrgId, email }, { 'idempotency-key': key })

async function usersOf(email: string): Promise<unknown[]> {
  return db.selectFrom('users').select('id').where('email', '=', email).execute()
}

async function createdEvents(): Promise<number> {
  return (await service.events({ accountId: tenant.accountId, type: 'user.created' })).length
}

test('a repeated request is answered with the first answer, and does nothing more', async () => {
  const [first, again] = [await create('once', 'ada@example.com'), await create('once', 'ada@example.com')]
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  expect([first.headers.has('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([false, 'true'])
  expect([await usersOf('ada@example.com'), await createdEvents()]).toEqual([[expect.anything()], 1])
})

test('below either base path it is the same request', async () => {
  const body = { subOrgId, email: 'both@example.com' }
  const create = (path: string) => tenant.post(path, body, { 'idempotency-key': 'both' })
  const [first, again] = [await create('/v1/users'), await create('/api/v1/users')]
  expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
})

test('the repeated answer has the headers of the first', async () => {
  const { body } = await tenant.post('/v1/users', { subOrgId, email: 'tag@example.com' })
  const change = () =>
    tenant.patch(`/v1/users/${body.user.id}`, { subOrgId, firstName: 'Tag' }, { 'idempotency-key': 'tagged' })
  const [first, again] = [await change(), await change()]
  expect(first.headers.get('etag')).toMatch(/^W\/"\d+"$/)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  for (const name of ['etag', 'content-type']) expect(again.headers.get(name)).toBe(first.headers.get(name))
})

test('the answer is kept with what the request does, or neither is', async () => {
  // Simulates a process that dies before it stores the response, as the database would see it.
  await sql`create function refuse_keeping() returns trigger language plpgsql as
    $$ begin raise exception 'the process is gone'; end $$`.execute(db)
  await sql`create trigger refuse_keeping before update on idempotency_keys
    for each row when (new.reply_sealed is not null) execute function refuse_keeping()`.execute(db)
  const before = await createdEvents()
  const lost = await create('lost', 'bob@example.com')
  expect([lost.status, lost.body.code]).toEqual([500, 'internal_error'])
  expect([await usersOf('bob@example.com'), await createdEvents()]).toEqual([[], before])
  await sql`drop trigger refuse_keeping on idempotency_keys`.execute(db)

  const sent = await create('lost', 'bob@example.com')
  expect([sent.status, (await usersOf('bob@example.com')).length, await createdEvents()]).toEqual([200, 1, before + 1])
})

test('a refusal keeps nothing, and the key is free again', async () => {
  const refused = await create('refused', 'ada@example.com')
  expect([refused.status, refused.body.code]).toEqual([409, 'email_exists'])
  expect((await create('refused', 'eve@example.com')).status).toBe(200)
  expect((await create('refused', 'kay@example.com')).body.code).toBe('idempotency_key_reused')
})

test('of twenty at once one acts, and the others get its answer or are told to wait', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, () => create('race', 'mia@example.com')))
  for (const { status, body } of replies)
    expect(status === 200 || body.code === 'idempotency_in_progress', JSON.stringify(body)).toBe(true)
  expect(replies.filter(({ headers, status }) => status === 200 && !headers.has('idempotent-replayed'))).toHaveLength(1)
  expect(await usersOf('mia@example.com')).toHaveLength(1)
  expect((await create('race', 'mia@example.com')).headers.get('idempotent-replayed')).toBe('true')
})

/** Locks an organization, so that a change of it waits. */
async function lockDomainOwner(id = subOrgId) {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: tellLocked } = Promise.withResolvers<void>()
  const waiting = db.transaction().execute(async (tx) => {
    await sql`select id from organizations where id = ${id} for update`.execute(tx)
    tellLocked()
    await held
  })
  await locked
  return async () => {
    release()
    await waiting
  }
}

const rename = (key: string, by: Caller = tenant, id = subOrgId) =>
  by.patch(`/v1/organizations/${id}`, { name: 'Later' }, { 'idempotency-key': key })

const claims = async (like: string) =>
  (await db.selectFrom('idempotency_keys').select('key').where('key', 'like', like).execute()).length

/** The number of transactions that wait for a lock. */
async function blocked(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows[0]?.count ?? 0
}

test('requests of one account that hang leave connections to other accounts', async () => {
  const organization = await tenant.withKey({ subOrgId })
  const release = await lockDomainOwner()
  const hanging = Array.from({ length: 12 }, (_, n) => rename(`hanging-${n}`, n < 6 ? tenant : organization))
  await expect.poll(async () => [await claims('hanging-%'), await blocked()]).toEqual([12, 3])
  const other = await service.tenant()
  const made = await other.post('/v1/organizations', { name: 'Other', slug: 'other' }, { 'idempotency-key': 'other' })
  expect([made.status, await blocked()]).toEqual([200, 3])
  await release()
  const replies = await Promise.all(hanging)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
})

test('an organization whose requests hang leaves the others of its account turns and places to wait', async () => {
  const greedy = await tenant.withKey({ subOrgId })
  const release = await lockDomainOwner()
  const hang = (n: number) =>
    greedy.patch(`/v1/organizations/${subOrgId}`, { name: 'Later' }, { 'idempotency-key': `greedy-${n}` })
  const hanging = Array.from({ length: 60 }, (_, n) => hang(n))
  // Two requests have a turn and thirty wait. The others were refused, so their keys are free again.
  await expect.poll(async () => [await claims('greedy-%'), await blocked()]).toEqual([32, 2])
  const neighbour = await tenant.organization()
  for (let n = 0; n < 3; n++) {
    const sent = { subOrgId: neighbour, email: `neighbour-${n}@example.com` }
    const made = await tenant.post('/v1/users', sent, { 'idempotency-key': `neighbour-${n}` })
    expect([made.status, made.body.code]).toEqual([200, undefined])
  }
  await release()
  await Promise.all(hanging)
})

test.each([
  ['staging', 'production'],
  ['production', 'staging'],
])('the requests of %s that hang leave those of %s turns and places to wait', async (hangs, works) => {
  const account = await service.tenant()
  const keys = { production: account, staging: await account.withKey({ environment: 'staging' }) }
  const keyOf = (environment: string) => (environment === 'staging' ? keys.staging : keys.production)
  const organizationOf = async (environment: string): Promise<string> => {
    const made = await keyOf(environment).post('/v1/organizations', { name: 'Acme', slug: `of-${environment}` })
    return made.body.subOrganization.id
  }
  const [held, free] = [await organizationOf(hangs), await organizationOf(works)]
  const release = await lockDomainOwner(held)
  const hanging = Array.from({ length: 60 }, (_, n) => rename(`${hangs}-${n}`, keyOf(hangs), held))
  await expect.poll(async () => [await claims(`${hangs}-%`), await blocked()]).toEqual([32, 2])
  for (let n = 0; n < 3; n++) {
    const sent = { subOrgId: free, email: `free-${n}@example.com` }
    const made = await keyOf(works).post('/v1/users', sent, { 'idempotency-key': `free-${n}` })
    expect([made.status, made.body.code]).toEqual([200, undefined])
  }
  await release()
  await Promise.all(hanging)
})

test('a claim that ran out and was taken over undoes what the slow request did', async () => {
  await tenant.patch(`/v1/organizations/${subOrgId}`, { name: 'Before' })
  const release = await lockDomainOwner()
  const slow = rename('slow')
  await expect.poll(() => claims('slow')).toBe(1)
  // Simulates that another request took over the claim after 60 seconds and is still running.
  await sql`update idempotency_keys set created_at = created_at + interval '1 second' where key = 'slow'`.execute(db)
  await release()
  const reply = await slow
  expect([reply.status, reply.body.code]).toEqual([409, 'idempotency_in_progress'])
  expect((await tenant.get(`/v1/organizations/${subOrgId}`)).body.subOrganization.name).not.toBe('Later')
})

test('a key is free again after its request ran out of time', async () => {
  const service = await startApp({ bounds: { requestMs: 1500 } })
  const caller = await service.tenant()
  const body = { subOrgId: await caller.organization(), email: 'ada@example.com' }
  const headers = { 'idempotency-key': 'late' }
  await service.app.platform.tx(async (tx) => {
    await sql`lock table users in exclusive mode`.execute(tx)
    expect((await caller.post('/v1/users', body, headers)).status).toBe(503)
  })
  await until(async () => (await caller.post('/v1/users', body, headers)).status === 200)
})
