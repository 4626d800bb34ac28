import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { provenClient } from '../../../../test/people/provisioning.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { signIn } from '../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()

test.each(['deactivate', 'delete'])(
  'who returns under a new address is restored with it: %s',
  async (onDeprovision) => {
    const { subOrgId, at, call, add, readUser } = await provenClient(app, tenant)
    await tenant.patch('/v1/scim/config', { subOrgId, onDeprovision })
    const { id } = await add({ userName: at('r2'), externalId: 'x-r2' })
    expect((await call('DELETE', `/Users/${id}`)).status).toBe(204)
    const other = await add({ userName: at('r2'), externalId: 'x-other' })
    expect(other.id).not.toBe(id)
    const mails = (await app.mails(at('r2'))).length
    const back = await add({ userName: at('r2.again'), externalId: 'x-r2' })
    expect(back.id).toBe(id)
    expect(await readUser(id)).toMatchObject({ email: at('r2.again'), emailVerified: true, active: true })
    expect(await readUser(other.id)).toMatchObject({ email: at('r2'), active: true })
    // The old address now belongs to another person.
    expect((await app.mails(at('r2'))).length).toBe(mails)
    expect((await signIn(app, tenant, subOrgId, at('r2.again'))).directory_user_id).toBe(id)
  },
)

test('who returns under another domain has to prove the mailbox', async () => {
  const { subOrgId, at, call, add, readUser } = await provenClient(app, tenant)
  await tenant.patch('/v1/scim/config', { subOrgId, onDeprovision: 'delete' })
  const { id } = await add({ userName: at('r3'), externalId: 'x-r3' })
  await call('DELETE', `/Users/${id}`)
  const back = await add({ userName: `r3-${fresh()}@elsewhere.example`, externalId: 'x-r3' })
  expect(back.id).toBe(id)
  expect(await readUser(id)).toMatchObject({ emailVerified: false, active: true })
})

test('an externalId that several users have brings nobody back', async () => {
  const { at, call, add } = await provenClient(app, tenant)
  const { id } = await add({ userName: at('a'), externalId: 'guest' })
  await add({ userName: at('b'), externalId: 'guest' })
  await call('DELETE', `/Users/${id}`)
  const back = await add({ userName: at('c'), externalId: 'guest' })
  expect(back.id).not.toBe(id)
})

/** An organization in which an administrator locks a user and the client then deletes the user. */
async function lockedAndDeleted(
  onDeprovision: string,
  { externalId, others = [] }: { externalId?: string; others?: object[] } = {},
) {
  const known = await provenClient(app, tenant)
  const { subOrgId, at, call, add, readUser } = known
  await tenant.patch('/v1/scim/config', { subOrgId, onDeprovision })
  const userName = at(`Kim-${fresh()}`)
  const { id } = await add({ userName, externalId })
  for (const other of others) await add({ userName: at(`other-${fresh()}`), ...other })
  const until = new Date(app.app.platform.clock.now().getTime() + 60 * DAY * 1000).toISOString()
  const locked = await tenant.post(`/v1/users/${id}/lock`, { subOrgId, reason: 'Ticket 4711', until })
  expect(locked.status).toBe(200)
  const remove = async (id: string) => expect((await call('DELETE', `/Users/${id}`)).status).toBe(204)
  const unlock = async (id: string) =>
    expect((await tenant.post(`/v1/users/${id}/unlock`, { subOrgId })).body.unlocked).toBe(true)
  const lockOf = async (id: string) => (await readUser(id))?.lock
  await remove(id)
  return { ...known, id, userName, lock: locked.body.user.lock, remove, unlock, lockOf }
}

const DAY = 86_400
const resources = {
  'no externalId': { before: {}, again: () => ({}) },
  'an externalId that several users have': {
    before: { externalId: 'guest', others: [{ externalId: 'guest' }] },
    again: () => ({ externalId: 'guest' }),
  },
  'another externalId': { before: { externalId: fresh() }, again: () => ({ externalId: fresh() }) },
  'another address': {
    before: {},
    again: () => ({ emails: [{ value: `${fresh()}@elsewhere.example`, primary: true }] }),
  },
}
const returns = ['deactivate', 'delete'].flatMap((mode) =>
  Object.entries(resources).map((one) => [mode, ...one] as const),
)

test.each(returns)('a lock survives deletion by the client: %s, with %s', async (mode, _, { before, again }) => {
  const { subOrgId, id, userName, lock, add, remove, unlock, lockOf, readUser } = await lockedAndDeleted(mode, before)
  const addAgain = async (): Promise<string> => (await add({ userName: userName.toLowerCase(), ...again() })).id
  const second = await addAgain()
  const { email, status } = await readUser(second)
  expect([status, await lockOf(second)]).toEqual(['locked', lock])
  await expect(signIn(app, tenant, subOrgId, email)).rejects.toThrow()
  await remove(second)
  const third = await addAgain()
  expect(await lockOf(third)).toEqual(lock)
  // The last user with the userName decides.
  await unlock(third)
  await remove(third)
  const fourth = await addAgain()
  expect(await lockOf(fourth)).toBeNull()
  expect((await signIn(app, tenant, subOrgId, (await readUser(fourth)).email)).directory_user_id).toBe(fourth)
  expect(new Set([id, second, third, fourth]).size).toBe(4)
})

test('a lock survives where the userName and the address belonged to two deleted users', async () => {
  const { at, userName, lock, add, remove, lockOf } = await lockedAndDeleted('deactivate')
  const other = await add({ userName: at('other') })
  await remove(other.id)
  const again = await add({ userName, emails: [{ value: at('other'), primary: true }] })
  expect(await lockOf(again.id)).toEqual(lock)
  expect(await lockOf(other.id)).toBeUndefined()
})

test('a lock does not pass to other users', async () => {
  const { subOrgId, at, userName, call, add, lockOf } = await lockedAndDeleted('delete')
  expect(await lockOf((await add({ userName: at('other') })).id)).toBeNull()
  const elsewhere = await provisioned(app, tenant)
  const there = await elsewhere.call('POST', '/Users', { userName })
  const path = `/v1/users/${there.body.id}?subOrgId=${elsewhere.subOrgId}`
  expect((await tenant.get(path)).body.user).toMatchObject({ email: userName, lock: null })
  // The API deletes the user that the client has added again.
  const again = await add({ userName })
  expect(await lockOf(again.id)).not.toBeNull()
  expect((await tenant.delete(`/v1/users/${again.id}?subOrgId=${subOrgId}&force=true`)).status).toBe(200)
  expect(await lockOf((await add({ userName })).id)).toBeNull()
  expect((await call('GET', '/Users')).body.totalResults).toBe(2)
})

test('who comes back by externalId is deleted by the API without passing on a lock', async () => {
  const { subOrgId, id, userName, lock, add, lockOf } = await lockedAndDeleted('delete', { externalId: 'x-kim' })
  expect((await add({ userName, externalId: 'x-kim' })).id).toBe(id)
  expect(await lockOf(id)).toEqual(lock)
  expect((await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}&force=true`)).status).toBe(200)
  const next = await add({ userName })
  expect(next.id).not.toBe(id)
  expect(await lockOf(next.id)).toBeNull()
})

test('a lock passes on for thirty days', async () => {
  const [late, early] = [await lockedAndDeleted('delete'), await lockedAndDeleted('delete')]
  await app.advance(30 * DAY - 60)
  expect(await early.lockOf((await early.add({ userName: early.userName })).id)).toEqual(early.lock)
  await app.advance(60)
  expect(await late.lockOf((await late.add({ userName: late.userName })).id)).toBeNull()
})

test('a lock passes on to a user of the address that the client takes over', async () => {
  const { subOrgId, userName, lock, add, lockOf } = await lockedAndDeleted('delete')
  const { user } = (await tenant.post('/v1/users', { subOrgId, email: userName })).body
  expect(user.lock).toBeNull()
  const { id } = await add({ userName })
  expect([id, await lockOf(id)]).toMatchObject([user.id, { reason: lock.reason, until: lock.until }])
  await expect(signIn(app, tenant, subOrgId, userName)).rejects.toThrow()
})

test('a lock in force passes on beside one that has ended', async () => {
  const { subOrgId, at, userName, lock, add, remove, lockOf } = await lockedAndDeleted('deactivate')
  const address = at(`other-${fresh()}`)
  const { id } = await add({ userName: address })
  const until = new Date(app.app.platform.clock.now().getTime() + 60_000).toISOString()
  expect((await tenant.post(`/v1/users/${id}/lock`, { subOrgId, reason: 'Short', until })).status).toBe(200)
  await remove(id)
  await app.advance(120)
  const made = await add({ userName, emails: [{ value: address, primary: true }] })
  expect(await lockOf(made.id)).toEqual(lock)
})
