import { expect, test } from 'vitest'
import { fresh } from '../../../test/fresh.ts'
import { startApp } from '../../../test/harness.ts'
import { verifyDomain } from '../../../test/saml-connection.ts'
import { provisioned } from '../../../test/scim.ts'
import { signIn } from '../../../test/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()

async function organization() {
  const client = await provisioned(app, tenant)
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, client.subOrgId, domain)
  const at = (local: string) => `${local}@${domain}`
  const readUser = async (id: string) => (await tenant.get(`/v1/users/${id}?subOrgId=${client.subOrgId}`)).body.user
  const add = async (body: object) => {
    const reply = await client.call('POST', '/Users', body)
    expect(reply.status, reply.text).toBe(201)
    return reply.body
  }
  return { ...client, at, readUser, add }
}

test.each(['deactivate', 'delete'])(
  'who returns under a new address is restored with it: %s',
  async (onDeprovision) => {
    const { subOrgId, at, call, add, readUser } = await organization()
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
    // The old address belongs to another person by now.
    expect((await app.mails(at('r2'))).length).toBe(mails)
    expect((await signIn(app, tenant, subOrgId, at('r2.again'))).directory_user_id).toBe(id)
  },
)

test('who returns under another domain has to prove the mailbox', async () => {
  const { subOrgId, at, call, add, readUser } = await organization()
  await tenant.patch('/v1/scim/config', { subOrgId, onDeprovision: 'delete' })
  const { id } = await add({ userName: at('r3'), externalId: 'x-r3' })
  await call('DELETE', `/Users/${id}`)
  const back = await add({ userName: `r3-${fresh()}@elsewhere.example`, externalId: 'x-r3' })
  expect(back.id).toBe(id)
  expect(await readUser(id)).toMatchObject({ emailVerified: false, active: true })
})

test('an externalId that several users have brings nobody back', async () => {
  const { at, call, add } = await organization()
  const { id } = await add({ userName: at('a'), externalId: 'guest' })
  await add({ userName: at('b'), externalId: 'guest' })
  await call('DELETE', `/Users/${id}`)
  const back = await add({ userName: at('c'), externalId: 'guest' })
  expect(back.id).not.toBe(id)
})
