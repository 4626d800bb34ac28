import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Caller, type Reply, startApp } from '../../../test/harness.ts'
import { newEmail } from '../../../test/people/people.ts'

// An idempotency key is valid for one request of one API key, for a day.

const service = await startApp()
const { db } = service.app.platform
const tenant = await service.tenant()
const [subOrgId, other] = [await tenant.organization(), await tenant.organization()]

const keyed = (key: string) => ({ 'idempotency-key': key })

function create(caller: Caller, key: string, email: string, organization = subOrgId): Promise<Reply> {
  return caller.post(`/v1/users?subOrgId=${organization}`, { email }, keyed(key))
}

const outcome = ({ status, body, headers }: Reply) => [status, body.code ?? null, headers.has('idempotent-replayed')]

async function countUsers(): Promise<number> {
  return (await tenant.get('/v1/users?include_total=true')).body.total
}

test('a key is good for one URL: not for another record, nor another organization', async () => {
  const email = newEmail()
  expect(outcome(await create(tenant, 'url', email))).toEqual([200, null, false])
  const before = await countUsers()
  expect(outcome(await create(tenant, 'url', email, other))).toEqual([422, 'idempotency_key_reused', false])
  expect(await countUsers()).toBe(before)

  const [one, two] = await Promise.all([newEmail(), newEmail()].map((each) => create(tenant, each, each)))
  const rename = (id: string) =>
    tenant.patch(`/v1/users/${id}?subOrgId=${subOrgId}`, { firstName: 'Renamed' }, keyed('record'))
  expect(outcome(await rename(one?.body.user.id))).toEqual([200, null, false])
  expect(outcome(await rename(two?.body.user.id))).toEqual([422, 'idempotency_key_reused', false])
  const untouched = await tenant.get(`/v1/users/${two?.body.user.id}?subOrgId=${subOrgId}`)
  expect(untouched.body.user.firstName).toBe(null)
})

test('the same key at another route is another', async () => {
  await create(tenant, 'route', newEmail())
  const made = await tenant.post('/v1/organizations', { name: 'Route', slug: 'route' }, keyed('route'))
  expect(outcome(made)).toEqual([200, null, false])
})

test('a key is its API key’s own: of another key of the account, or of another account, it repeats nothing', async () => {
  const email = newEmail()
  const first = await create(tenant, 'mine', email)
  const sibling = await tenant.withKey({})
  expect(outcome(await create(sibling, 'mine', email))).toEqual([409, 'email_exists', false])
  const stranger = await service.tenant()
  const theirs = await create(stranger, 'mine', email, await stranger.organization())
  expect(outcome(theirs)).toEqual([200, null, false])
  expect(theirs.body.user.id).not.toBe(first.body.user.id)
  const staging = await tenant.withKey({ environment: 'staging' })
  expect(outcome(await create(staging, 'mine', email))).toEqual([200, null, false])
  expect(outcome(await create(tenant, 'mine', email))).toEqual([200, null, true])
})

test('an answer is repeated for 24 hours', async () => {
  const email = newEmail()
  const first = await create(tenant, 'day', email)
  await service.advance(24 * 3600 - 60)
  const again = await create(tenant, 'day', email)
  expect([outcome(again), again.text]).toEqual([[200, null, true], first.text])
  expect(outcome(await create(tenant, 'day', newEmail()))).toEqual([422, 'idempotency_key_reused', false])
  await service.advance(61)
  expect(outcome(await create(tenant, 'day', email))).toEqual([409, 'email_exists', false])
  expect(outcome(await create(tenant, 'day', newEmail()))).toEqual([200, null, false])
})

test('while a request is under way its repetition is told to wait, for a minute at most', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: tellLocked } = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (tx) => {
    await sql`select id from organizations where id = ${subOrgId} for update`.execute(tx)
    tellLocked()
    await held
  })
  await locked
  const rename = () => tenant.patch(`/v1/organizations/${subOrgId}`, { name: 'Slow' }, keyed('slow'))
  const claimed = async () =>
    (await db.selectFrom('idempotency_keys').select('key').where('key', '=', 'slow').execute()).length
  const slow = rename()
  await expect.poll(claimed).toBe(1)
  for (const seconds of [0, 59]) {
    await service.advance(seconds)
    const early = await rename()
    expect([outcome(early), early.headers.get('retry-after')]).toEqual([[409, 'idempotency_in_progress', false], '1'])
  }
  release()
  await holding
  expect(outcome(await slow)).toEqual([200, null, false])
  expect(outcome(await rename())).toEqual([200, null, true])
})

test('a key that a dead process left behind is free after a minute', async () => {
  const email = newEmail()
  await create(tenant, 'left', email)
  await sql`update idempotency_keys set status = null, reply_sealed = null where key = 'left'`.execute(db)
  expect(outcome(await create(tenant, 'left', email))).toEqual([409, 'idempotency_in_progress', false])
  await service.advance(61)
  expect(outcome(await create(tenant, 'left', email))).toEqual([409, 'email_exists', false])
})

test('a key has 1 to 255 characters', async () => {
  const before = await countUsers()
  expect(outcome(await create(tenant, 'x'.repeat(256), newEmail()))).toEqual([400, 'invalid_request', false])
  expect(await countUsers()).toBe(before)
  expect(outcome(await create(tenant, 'x'.repeat(255), newEmail()))).toEqual([200, null, false])
})
