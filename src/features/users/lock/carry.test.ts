import { expect, test } from 'vitest'
import { succeeded } from '../../../../test/factors.ts'
import { fresh } from '../../../../test/fresh.ts'
import { makeWorld, newLocal, peopleAt } from '../../../../test/introductions.ts'
import { startFederatedApp } from '../../../../test/oidc-organization.ts'
import { startOpPeer } from '../../../../test/op-peer.ts'
import { answered } from '../../../../test/scim-answers.ts'
import { signIn } from '../../../../test/sign-in.ts'

const federated = await startFederatedApp()
const { app, tenant } = federated
const op = await startOpPeer()
const subOrgId = await tenant.organization()
const HOUR = 3600
const inHours = (hours: number) => new Date(app.app.platform.clock.now().getTime() + hours * HOUR * 1000).toISOString()

const add = async (email: string) => succeeded(await tenant.post('/v1/users', { subOrgId, email })).user
const lock = async (id: string, more: object = {}) =>
  succeeded(await tenant.post(`/v1/users/${id}/lock`, { subOrgId, reason: 'Stolen', ...more })).user
const remove = async (id: string) => succeeded(await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`))
const newEmail = () => `u-${fresh()}@${fresh()}.example`

test('a new user under the address of a deleted user has the lock of that user', async () => {
  const [email, other] = [newEmail(), newEmail()]
  const { id } = await add(email)
  const { lock: held } = await lock(id, { until: inHours(5) })
  await remove(id)
  const next = await add(email.toUpperCase())
  expect(next).toMatchObject({ status: 'locked', lock: held })
  expect(next.id).not.toBe(id)
  const [event] = (await app.events(tenant)).filter(({ target_id }) => target_id === next.id)
  expect(event).toMatchObject({ type: 'user.created', data: { status: 'locked', lock: held } })
  expect(await add(other)).toMatchObject({ status: 'active', lock: null })
  // The lock goes on to each next one, and to a list.
  await remove(next.id)
  const rows = { subOrgId, users: [{ email }, { email: newEmail() }] }
  succeeded(await tenant.put('/v1/users', rows))
  const found = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${encodeURIComponent(email)}`)).users
  expect(found).toMatchObject([{ status: 'locked', lock: held }])
})

test('of several locks the one that ends last is carried over', async () => {
  const email = newEmail()
  const first = await add(email)
  await lock(first.id, { until: inHours(1) })
  await remove(first.id)
  const second = await add(email)
  const { lock: longer } = await lock(second.id, { until: inHours(9), reason: 'Longer' })
  await remove(second.id)
  expect((await add(email)).lock).toEqual(longer)
})

test('no connection makes an unlocked user of a locked and deleted one', async () => {
  const world = await makeWorld(federated, op, 'oidc', { jit_provisioning: true })
  const person = { subject: fresh(), email: world.at(newLocal()) }
  const id = (await world.signIn(person)).directory_user_id ?? ''
  succeeded(await world.key.post(`/v1/users/${id}/lock`, { reason: 'Stolen' }))
  succeeded(await world.key.delete(`/v1/users/${id}`))
  expect(await world.signIn(person)).toMatchObject({ error: 'user_locked' })
  expect(await peopleAt(world, [person.email])).toEqual([])
})

test('provisioning that deletes and adds a user again lifts no lock, by userName as by address', async () => {
  const { at, key, client, configure } = await makeWorld(federated, op, 'oidc')
  await configure({ onDeprovision: 'delete' })
  const make = async (body: object) => answered(await client.call('POST', '/Users', body), 201).id
  const lockOf = async (id: string) => succeeded(await key.get(`/v1/users/${id}`)).user.lock
  const lockAndDelete = async (id: string) => {
    succeeded(await key.post(`/v1/users/${id}/lock`, { reason: 'Stolen' }))
    expect((await client.call('DELETE', `/Users/${id}`)).status).toBe(204)
  }
  const [userName, shared] = [at(newLocal()), fresh()]
  const id = await make({ userName, externalId: shared })
  await make({ userName: at(newLocal()), externalId: shared })
  await lockAndDelete(id)
  for (const more of [{}, { externalId: shared }]) {
    const next = await make({ userName, ...more })
    expect(next).not.toBe(id)
    expect(await lockOf(next)).toMatchObject({ reason: 'Stolen' })
    expect((await client.call('DELETE', `/Users/${next}`)).status).toBe(204)
  }
  const elsewhere = await make({ userName, emails: [{ value: at(newLocal()), primary: true }] })
  expect(await lockOf(elsewhere)).toMatchObject({ reason: 'Stolen' })
  expect(await lockOf(await make({ userName: at(newLocal()) }))).toBeNull()
})

test('a lock that an unlock or its time has ended is not carried over', async () => {
  const email = newEmail()
  const first = await add(email)
  await lock(first.id)
  await remove(first.id)
  const second = await add(email)
  expect(second.lock).toMatchObject({ until: null })
  expect(succeeded(await tenant.post(`/v1/users/${second.id}/unlock`, { subOrgId })).unlocked).toBe(true)
  await remove(second.id)
  const third = await add(email)
  expect(third).toMatchObject({ status: 'active', lock: null })
  await lock(third.id, { until: inHours(1) })
  await remove(third.id)
  await app.advance(HOUR + 1)
  expect(await add(email)).toMatchObject({ status: 'active', lock: null })
  await signIn(app, tenant, subOrgId, email)
})
