import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { signIn } from '../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()

async function organization() {
  const client = await provisioned(app, tenant)
  const { subOrgId, call } = client
  const add = async (body: object) => {
    const reply = await call('POST', '/Users', body)
    expect(reply.status, reply.text).toBe(201)
    return reply.body
  }
  const readUser = async (id: string) => (await tenant.get(`/v1/users/${id}?subOrgId=${subOrgId}`)).body.user
  const moveTo = (id: string, targetSubOrgId: string) =>
    tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId, force: true })
  return { ...client, add, readUser, moveTo }
}

const mail = (domain: string) => [{ value: `ada@${domain}`, type: 'work', primary: true }]

test('whoever is moved leaves the client, whatever names the one of the target has given', async () => {
  const [source, target] = [await organization(), await organization()]
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, target.subOrgId, domain)
  const names = { userName: `ada-${fresh()}`, externalId: fresh() }
  const user = await source.add({ ...names, emails: mail(domain) })
  const namesake = await target.add({ ...names, emails: mail('elsewhere.example') })
  const group = await source.call('POST', '/Groups', { displayName: 'All', members: [{ value: user.id }] })
  const moved = await source.moveTo(user.id, target.subOrgId)
  expect([moved.status, moved.body.user?.id, moved.body.user?.scimManaged]).toEqual([200, user.id, false])
  expect((await source.call('GET', `/Users/${user.id}`)).status).toBe(404)
  expect((await source.call('GET', `/Groups/${group.body.id}`)).body.members).toEqual([])
  expect((await target.call('GET', `/Users/${user.id}`)).status).toBe(404)
  expect((await target.call('GET', '/Users')).body.Resources.map(({ id }: { id: string }) => id)).toEqual([namesake.id])
  // The target's client takes over the user because of the verified domain, under names that no other user has.
  const taken = await target.call('POST', '/Users', { ...names, emails: mail(domain) })
  expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness'])
  const adopted = await target.add({ userName: `ada-${fresh()}`, emails: mail(domain) })
  expect(adopted.id).toBe(user.id)
  expect(await target.readUser(user.id)).toMatchObject({ scimManaged: true })
  // Adding the user again does not bring the moved user back.
  expect((await source.add({ ...names, emails: mail(domain) })).id).not.toBe(user.id)
})

test('a taken address refuses the move, and the client keeps the user', async () => {
  const [source, target] = [await organization(), await organization()]
  const email = `ada-${fresh()}@acme.example`
  const [user] = [await source.add({ userName: email }), await target.add({ userName: email })]
  const group = await source.call('POST', '/Groups', { displayName: 'All', members: [{ value: user.id }] })
  const { access_token } = await signIn(app, tenant, source.subOrgId, email)
  const before = (await source.call('GET', `/Users/${user.id}`)).body
  const refused = await source.moveTo(user.id, target.subOrgId)
  expect([refused.status, refused.body.code]).toEqual([409, 'email_exists'])
  expect((await source.call('GET', `/Users/${user.id}`)).body).toEqual(before)
  expect((await source.call('GET', `/Groups/${group.body.id}`)).body.members).toHaveLength(1)
  const live = await fetch(`${app.baseUrl}/api/v1/auth/userinfo`, {
    headers: { authorization: `Bearer ${access_token}` },
  })
  expect(live.status).toBe(200)
})

test('of two clients that provision somebody while they are moved, one has them', async () => {
  const [source, target] = [await organization(), await organization()]
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, target.subOrgId, domain)
  for (let round = 0; round < 5; round++) {
    const email = `r${round}@${domain}`
    const user = await source.add({ userName: email, externalId: email })
    const [moved, made] = await Promise.all([
      source.moveTo(user.id, target.subOrgId),
      target.call('POST', '/Users', { userName: email, externalId: email }),
      source.call('PATCH', `/Users/${user.id}`, { Operations: [{ op: 'replace', path: 'title', value: 'Engineer' }] }),
    ])
    expect([200, 409]).toContain(moved.status)
    expect([201, 409]).toContain(made.status)
    const all = (await tenant.get(`/v1/users?limit=100&email=${encodeURIComponent(email)}`)).body.users
    const inTarget = all.filter(({ subOrgId }: { subOrgId: string }) => subOrgId === target.subOrgId)
    expect(inTarget).toHaveLength(1)
    expect(inTarget[0].scimManaged).toBe(made.status === 201)
  }
})
