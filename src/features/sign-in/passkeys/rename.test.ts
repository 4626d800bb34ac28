import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { register } from '../../../../test/people/passkeys.ts'
import { newUser } from '../../../../test/people/people.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const subOrgId = await tenant.organization()

async function newHolderOfTwo() {
  const { id: userId } = await newUser(tenant, { subOrgId })
  const made = await register(tenant, { subOrgId, userId }, newPasskey())
  const other = await register(tenant, { subOrgId, userId }, newPasskey(), { deviceName: 'Phone' })
  const { credential } = made.body
  return {
    credential,
    path: (id: string = credential.id) => `/v1/webauthn/credentials/${id}`,
    list: async () =>
      (await tenant.get(`/v1/webauthn/credentials?subOrgId=${subOrgId}&userId=${userId}`)).body.credentials,
    other: other.body.credential,
    renamings: async () =>
      (await app.events({ accountId: tenant.accountId, type: 'passkey.updated' })).filter(
        (event) => event.target_id === credential.id,
      ),
  }
}

test('an administrator names a passkey by either id; without a name it has that of the authenticator', async () => {
  const { credential, other, path, list, renamings } = await newHolderOfTwo()
  const before = await app.mails()
  const named = await tenant.patch(path(), { deviceName: 'Work laptop', subOrgId })
  expect([named.status, named.body]).toEqual([200, { credential: { ...credential, deviceName: 'Work laptop' } }])
  const again = await tenant.patch(path(credential.credentialId), { deviceName: 'Work laptop', subOrgId })
  expect(again.body).toEqual(named.body)
  expect(await list()).toEqual([named.body.credential, other])
  const unnamed = await tenant.patch(path(credential.credentialId), { deviceName: null, subOrgId })
  expect(unnamed.body).toEqual({ credential })
  expect(await renamings()).toMatchObject([
    { data: named.body.credential, previous: { deviceName: credential.deviceName }, actor_type: 'api_key' },
    { data: credential, previous: { deviceName: 'Work laptop' } },
  ])
  expect(await app.mails()).toEqual(before)
})

test('one that is deleted, of another organization or unknown has no name to change', async () => {
  const { path, renamings, credential } = await newHolderOfTwo()
  const elsewhere = await tenant.withKey({ subOrgId: await tenant.organization() })
  await tenant.delete(`${path(credential.credentialId)}?subOrgId=${subOrgId}`)
  const { path: theirs, credential: kept } = await newHolderOfTwo()
  for (const reply of [
    await tenant.patch(path(), { deviceName: 'Mine', subOrgId }),
    await elsewhere.patch(theirs(), { deviceName: 'Mine' }),
    await elsewhere.patch(theirs(kept.credentialId), { deviceName: 'Mine' }),
    await tenant.patch(path('none'), { deviceName: 'Mine', subOrgId }),
  ])
    expect([reply.status, reply.body.code]).toEqual([404, 'passkey_not_found'])
  for (const body of [{}, { deviceName: 7 }, { deviceName: 'a\nb' }, { deviceName: 'a'.repeat(1000) }])
    expect((await tenant.patch(theirs(), { ...body, subOrgId })).body.code).toBe('invalid_request')
  expect(await renamings()).toEqual([])
})

test('of two renamings at once each tells what it replaced', async () => {
  const { credential, path, list, renamings } = await newHolderOfTwo()
  const callers = [tenant, second.as(tenant.key)]
  const names = Array.from({ length: 6 }, (_, i) => `Name ${i}`)
  await Promise.all(names.map((deviceName, i) => callers[i % 2]?.patch(path(), { deviceName, subOrgId })))
  const events = await renamings()
  const from = events.map(({ previous }) => Object(previous).deviceName)
  const to = events.map(({ data }) => Object(data).deviceName)
  expect(to.toSorted()).toEqual(names)
  expect([...from, (await list())[0].deviceName].toSorted()).toEqual([credential.deviceName, ...names].toSorted())
})
