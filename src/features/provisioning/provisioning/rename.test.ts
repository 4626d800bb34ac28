import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provenClient } from '../../../../test/people/provisioning.ts'
import { signIn } from '../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()

async function organization() {
  const client = await provenClient(app, tenant)
  const patch = async (id: string, path: string, value: unknown) => {
    const reply = await client.call('PATCH', `/Users/${id}`, { Operations: [{ op: 'Replace', path, value }] })
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }
  return { ...client, patch }
}

const email = (value: string) => ({ value, type: 'work', primary: true })

test.each(['PATCH', 'PUT'])('by %s of the userName, the address of a user without emails moves', async (verb) => {
  const { subOrgId, at, call, add, patch, readUser } = await organization()
  const { id } = await add({ userName: at('r1'), externalId: 'e1' })
  const session = await signIn(app, tenant, subOrgId, at('r1'))
  // The address derived from the userName is never stored.
  expect((await patch(id, 'title', 'Engineer')).emails).toEqual([email(at('r1'))])
  const renamed =
    verb === 'PATCH'
      ? await patch(id, 'userName', at('r1.new'))
      : (await call('PUT', `/Users/${id}`, { userName: at('r1.new'), externalId: 'e1' })).body
  expect(renamed).toMatchObject({ userName: at('r1.new'), emails: [email(at('r1.new'))] })
  expect(await readUser(id)).toMatchObject({ email: at('r1.new'), emailVerified: true })
  // The old mailbox can no longer be used to sign in.
  expect((await tenant.post('/v1/auth/token/introspect', { subOrgId, token: session.access_token })).body.active).toBe(
    false,
  )
  const before = (await app.mails(at('r1'))).length
  await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: at('r1') })
  expect((await app.mails(at('r1'))).length).toBe(before)
  expect((await signIn(app, tenant, subOrgId, at('r1.new'))).directory_user_id).toBe(id)
  const hire = await add({ userName: at('r1'), externalId: 'e2' })
  expect(hire.id).not.toBe(id)
  const found = await call('GET', `/Users?filter=emails.value eq "${at('r1.new')}"`)
  expect(found.body.Resources.map((user: { id: string }) => user.id)).toEqual([id])
})

test('an address that the client has sent stays when the userName changes', async () => {
  const { at, add, patch, readUser } = await organization()
  const { id } = await add({ userName: at('ada'), emails: [email(at('ada.lovelace'))] })
  expect((await patch(id, 'userName', at('ada.king'))).emails).toEqual([email(at('ada.lovelace'))])
  expect(await readUser(id)).toMatchObject({ email: at('ada.lovelace') })
  const added = await add({ userName: at('bo') })
  const value = at('bo.mail')
  expect((await patch(added.id, 'emails[type eq "work"].value', value)).emails).toMatchObject([{ value }])
  expect((await patch(added.id, 'userName', at('bo.new'))).emails).toMatchObject([{ value }])
  expect(await readUser(added.id)).toMatchObject({ email: value })
})

test('an address that an administrator forces stays until the client names another, and costs no other address', async () => {
  const { subOrgId, at, add, patch, readUser } = await organization()
  const home = { value: at('home'), type: 'home' }
  const [plain, rich] = [
    await add({ userName: at('a') }),
    await add({ userName: at('b'), emails: [email(at('b')), home] }),
  ]
  const force = async (id: string, address: string) =>
    expect((await tenant.patch(`/v1/users/${id}`, { subOrgId, email: address, force: true })).status).toBe(200)
  await force(plain.id, at('a.forced'))
  await force(rich.id, at('b.forced'))
  expect((await patch(plain.id, 'title', 'Engineer')).emails).toEqual([email(at('a.forced'))])
  expect((await patch(rich.id, 'title', 'Engineer')).emails).toEqual([email(at('b.forced')), home])
  expect([(await readUser(plain.id)).email, (await readUser(rich.id)).email]).toEqual([at('a.forced'), at('b.forced')])
  await patch(plain.id, 'userName', at('a.new'))
  await patch(rich.id, 'emails[type eq "work"].value', at('b'))
  expect([(await readUser(plain.id)).email, (await readUser(rich.id)).email]).toEqual([at('a.new'), at('b')])
})
