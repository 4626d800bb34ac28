import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fresh, freshEmail } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const { db } = app.app.platform

async function organization() {
  const subOrgId = await tenant.organization()
  const caller = await tenant.withKey({ subOrgId })
  const add = (fields: object) => caller.post('/v1/users', { email: freshEmail(), ...fields })
  const externalIds = async (): Promise<(string | null)[]> =>
    (await caller.get('/v1/users')).body.users.map((user: { externalId: string | null }) => user.externalId)
  return { subOrgId, caller, add, externalIds }
}

const refusal = [409, 'external_id_taken']

test('an external id is of one user of an organization, and of another once its user is deleted', async () => {
  const { caller, add, externalIds } = await organization()
  const elsewhere = await organization()
  const first = (await add({ externalId: 'crm-1' })).body.user
  expect((await elsewhere.add({ externalId: 'crm-1' })).status).toBe(200)
  const taken = await add({ externalId: 'crm-1' })
  expect([taken.status, taken.body.code]).toEqual(refusal)
  const other = (await add({ externalId: 'CRM-1' })).body.user
  const changed = await caller.patch(`/v1/users/${other.id}`, { externalId: 'crm-1', firstName: 'Ada' })
  expect([changed.status, changed.body.code]).toEqual(refusal)
  expect((await caller.get(`/v1/users/${other.id}`)).body.user).toEqual(other)
  expect((await caller.patch(`/v1/users/${first.id}`, { externalId: 'crm-1', firstName: 'Ada' })).status).toBe(200)
  for (const _ of [1, 2]) expect((await add({ externalId: '' })).status).toBe(200)
  await caller.delete(`/v1/users/${first.id}`)
  expect((await caller.patch(`/v1/users/${other.id}`, { externalId: 'crm-1' })).status).toBe(200)
  expect(await externalIds()).toEqual(['crm-1', null, null])
})

test('an address that is taken is told first', async () => {
  const { caller, add } = await organization()
  const { email } = (await add({ externalId: 'crm-1' })).body.user
  const reply = await caller.post('/v1/users', { email, externalId: 'crm-1' })
  expect([reply.status, reply.body.code]).toEqual([409, 'email_exists'])
})

test('nobody moves to where somebody has their external id', async () => {
  const [from, to] = [await organization(), await organization()]
  const { id } = (await from.add({ externalId: 'crm-1' })).body.user
  const holder = (await to.add({ externalId: 'crm-1' })).body.user
  const move = () => tenant.post(`/v1/users/${id}`, { subOrgId: from.subOrgId, targetSubOrgId: to.subOrgId })
  const refused = await move()
  expect([refused.status, refused.body.code]).toEqual(refusal)
  expect(await from.externalIds()).toEqual(['crm-1'])
  await to.caller.patch(`/v1/users/${holder.id}`, { externalId: null })
  expect((await move()).status).toBe(200)
  expect(await to.externalIds()).toEqual(['crm-1', null])
})

test('of several at once, on two processes, one gets it', async () => {
  const { caller, externalIds } = await organization()
  const callers = [caller, second.as(caller.key)]
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, i) => callers[i % 2]?.post('/v1/users', { email: freshEmail(), externalId: 'one' })),
  )
  const verdicts = replies.map((reply) => `${reply?.status} ${reply?.body.code ?? ''}`).sort()
  expect(verdicts).toEqual(['200 ', ...Array(9).fill('409 external_id_taken')])
  expect(await externalIds()).toEqual(['one'])
})

test('of many users a row whose external id is taken fails alone; one who is there is skipped', async () => {
  const { caller, add, externalIds } = await organization()
  const there = (await add({ externalId: 'a' })).body.user
  const named = (externalId: string) => ({ email: freshEmail(), externalId })
  const [taken, first, again, free] = [named('a'), named('b'), named('b'), named('c')]
  const moved = { email: there.email, externalId: 'b' }
  const { body } = await caller.put('/v1/users', { users: [moved, taken, first, again, free] })
  expect(body.created.map(({ email }: { email: string }) => email)).toEqual([first.email, free.email])
  expect(body.skipped).toEqual([{ email: there.email, reason: 'already_exists' }])
  expect(body.failed).toEqual([taken, again].map(({ email }) => ({ email, error: 'external_id_taken' })))
  const sent = await caller.put('/v1/users', { users: [{ email: there.email, externalId: 'a' }, first, free] })
  expect([sent.body.created, sent.body.failed, sent.body.skipped.length]).toEqual([[], [], 3])
  expect(await externalIds()).toEqual(['a', 'b', 'c'])
})

test('lists that meet, on two processes, fail in the rows that they share', async () => {
  const { caller, externalIds } = await organization()
  const callers = [caller, second.as(caller.key)]
  const list = (own: string) =>
    ['x', 'y', own, 'z'].map((externalId, n) => ({ email: `${n}-${freshEmail()}`, externalId }))
  const replies = await Promise.all(
    ['1', '2', '3', '4'].map((own, i) => callers[i % 2]?.put('/v1/users', { users: list(own) })),
  )
  expect(replies.map((reply) => reply?.status)).toEqual([200, 200, 200, 200])
  expect(replies.map((reply) => reply?.body.created.length).sort()).toEqual([1, 1, 1, 4])
  const failures = replies.flatMap((reply) => reply?.body.failed.map(({ error }: { error: string }) => error))
  expect(failures).toEqual(Array(9).fill('external_id_taken'))
  expect((await externalIds()).toSorted()).toEqual(['1', '2', '3', '4', 'x', 'y', 'z'])
})

test('those who shared one before go on showing it; the oldest has it', async () => {
  const { caller, add, externalIds } = await organization()
  const ids: string[] = []
  for (const externalId of ['s', null, null]) ids.push((await add({ externalId, lastName: fresh() })).body.user.id)
  const [oldest, middle, youngest] = ids
  // The state that the upgrade from a version before release 0.1.0 leaves. No request can create it.
  await sql`update users set external_id = 's', external_id_repeated = id <> ${oldest}
    where id = any(${ids}::uuid[])`.execute(db)
  expect(await externalIds()).toEqual(['s', 's', 's'])
  expect((await caller.patch(`/v1/users/${middle}`, { firstName: 'Ada', externalId: 's' })).status).toBe(200)
  expect((await add({ externalId: 's' })).body.code).toBe('external_id_taken')
  expect((await caller.patch(`/v1/users/${middle}`, { externalId: 't' })).status).toBe(200)
  const back = await caller.patch(`/v1/users/${middle}`, { externalId: 's' })
  expect([back.status, back.body.code]).toEqual(refusal)
  await caller.delete(`/v1/users/${oldest}`)
  expect((await caller.patch(`/v1/users/${middle}`, { externalId: 's' })).status).toBe(200)
  const held = await db
    .selectFrom('users')
    .select('external_id_repeated')
    .where('id', '=', youngest ?? '')
    .executeTakeFirst()
  expect(held).toEqual({ external_id_repeated: true })
})
