import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { provenClient } from '../../../../test/people/provisioning.ts'
import { signIn } from '../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform

const patch = (path: string, value: unknown) => ({ Operations: [{ op: 'replace', path, value }] })

const typesOf = async (id: string) =>
  (await app.events({ accountId: tenant.accountId })).filter((event) => event.target_id === id).map(({ type }) => type)

const isLive = async (token: string) =>
  (await fetch(`${app.baseUrl}/api/v1/auth/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status === 200

test('active false ends every session in the same moment, and true lets in again', async () => {
  const { subOrgId, domain, call, add, readUser } = await provenClient(app, tenant)
  const email = `ada@${domain}`
  const { id } = await add({ userName: email })
  const session = await signIn(app, tenant, subOrgId, email)
  expect(await isLive(session.access_token)).toBe(true)
  const off = await call('PATCH', `/Users/${id}`, patch('active', 'False'))
  expect([off.status, off.body.active]).toEqual([200, false])
  expect(await isLive(session.access_token)).toBe(false)
  const refresh = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
  expect([refresh.status, refresh.body.code]).toEqual([403, 'user_inactive'])
  await expect(signIn(app, tenant, subOrgId, email)).rejects.toThrow('otp_invalid')
  // The client still sees the user.
  expect((await call('GET', `/Users/${id}`)).body.active).toBe(false)
  expect(
    (await call('PATCH', `/Users/${id}`, { Operations: [{ op: 'Replace', value: { active: 'True' } }] })).status,
  ).toBe(200)
  expect(await readUser(id)).toMatchObject({ active: true, status: 'active' })
  // The ended session does not come back.
  expect(await isLive(session.access_token)).toBe(false)
  expect(await isLive((await signIn(app, tenant, subOrgId, email)).access_token)).toBe(true)
  expect((await typesOf(id)).filter((type) => !type.startsWith('auth.'))).toEqual([
    ...['user.created', 'scim.user.provisioned', 'user.deactivated', 'scim.user.deprovisioned'],
    ...['user.activated', 'scim.user.provisioned'],
  ])
})

test('a user of the verified domain is proved, one of another domain is not', async () => {
  const { domain, add, readUser } = await provenClient(app, tenant)
  expect((await readUser((await add({ userName: `a@${domain}` })).id)).emailVerified).toBe(true)
  expect((await readUser((await add({ userName: 'b@elsewhere.example' })).id)).emailVerified).toBe(false)
})

test('whoever is deleted is out, unknown to the client, and comes back under the same externalId', async () => {
  const { subOrgId, domain, call, add, readUser } = await provenClient(app, tenant)
  const body = { userName: `ada@${domain}`, externalId: 'e1', displayName: 'Ada\u2028\u202e' }
  const { id } = await add(body)
  const session = await signIn(app, tenant, subOrgId, body.userName)
  expect((await call('DELETE', `/Users/${id}`)).status).toBe(204)
  expect(await isLive(session.access_token)).toBe(false)
  expect((await call('GET', `/Users/${id}`)).status).toBe(404)
  expect((await call('DELETE', `/Users/${id}`)).status).toBe(404)
  expect((await call('GET', '/Users?filter=externalId eq "e1"')).body.totalResults).toBe(0)
  expect(await readUser(id)).toMatchObject({ active: false, scimManaged: false })
  const back = await add({ ...body, userName: `ada.king@${domain}` })
  expect(back.id).toBe(id)
  expect(await readUser(id)).toMatchObject({
    active: true,
    scimManaged: true,
    email: `ada.king@${domain}`,
    displayName: 'Ada',
  })
})

test('where onDeprovision says so the user is deleted, and restored for thirty days', async () => {
  const { subOrgId, domain, call, add, readUser } = await provenClient(app, tenant)
  await tenant.patch('/v1/scim/config', { subOrgId, onDeprovision: 'delete' })
  const body = { userName: `ada@${domain}`, externalId: 'e1' }
  const { id } = await add(body)
  expect((await call('DELETE', `/Users/${id}`)).status).toBe(204)
  expect(await readUser(id)).toBeUndefined()
  expect((await add(body)).id).toBe(id)
  expect(await readUser(id)).toMatchObject({ active: true, scimManaged: true })
  expect((await call('DELETE', `/Users/${id}`)).status).toBe(204)
  await app.advance(31 * 86_400)
  expect((await add(body)).id).not.toBe(id)
})

test('a user whom nobody provisions is taken over where the domain is verified, and nowhere else', async () => {
  const { subOrgId, domain, call, readUser } = await provenClient(app, tenant)
  const make = async (email: string) =>
    (await tenant.post('/v1/users', { subOrgId, email, displayName: 'Own' })).body.user
  const own = await make(`ada@${domain}`)
  const taken = await call('POST', '/Users', { userName: `ADA@${domain}`, externalId: 'e1', title: 'Engineer' })
  expect([taken.status, taken.body.id, taken.body.displayName]).toEqual([201, own.id, 'Own'])
  expect(await readUser(own.id)).toMatchObject({
    scimManaged: true,
    emailVerified: true,
    source: 'api',
    jobTitle: 'Engineer',
  })
  const foreign = await make('ada@elsewhere.example')
  const refused = await call('POST', '/Users', { userName: 'ada@elsewhere.example' })
  expect([refused.status, refused.body.scimType]).toEqual([409, 'uniqueness'])
  expect((await readUser(foreign.id)).scimManaged).toBe(false)
})

test('what a stranger set before goes with the takeover', async () => {
  const { subOrgId, domain, call } = await provenClient(app, tenant)
  const email = `victim@${domain}`
  await tenant.patch('/v1/auth/settings', { subOrgId, allow_sign_up: true })
  const password = `plum-${fresh()}-${fresh()}`
  const signup = await tenant.post('/v1/auth/signup/password', { subOrgId, email, password, openSignup: true })
  expect(signup.status, signup.text).toBe(200)
  expect((await call('POST', '/Users', { userName: email })).status).toBe(201)
  const login = await tenant.post('/v1/auth/login/password', { subOrgId, email, password })
  expect(login.status).toBe(401)
})

test('a domain of another organization takes over nobody, and users of others are not seen', async () => {
  const [one, other] = [await provenClient(app, tenant), await provenClient(app, tenant)]
  const email = `ada@${one.domain}`
  const own = (await tenant.post('/v1/users', { subOrgId: one.subOrgId, email })).body.user
  const made = await other.call('POST', '/Users', { userName: email })
  expect(made.status).toBe(201)
  expect(made.body.id).not.toBe(own.id)
  expect((await one.readUser(own.id)).scimManaged).toBe(false)
})

test('of clients that provision the same users at once, each user is there once', async () => {
  const { call, domain, subOrgId } = await provenClient(app, tenant)
  const names = Array.from({ length: 8 }, () => `${fresh()}@${domain}`)
  const adopted = `old@${domain}`
  await tenant.post('/v1/users', { subOrgId, email: adopted })
  const all = [...names, adopted].flatMap((userName) => [userName, userName.toUpperCase(), userName])
  const replies = await Promise.all(
    all.map((userName) => call('POST', '/Users', { userName, externalId: userName.toLowerCase() })),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(9)
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(18)
  expect((await call('GET', '/Users')).body.totalResults).toBe(9)
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('email_norm', 'in', [...names, adopted])
    .execute()
  expect(rows).toHaveLength(9)
})

test('a deleted user is brought back once', async () => {
  const { call, domain, add } = await provenClient(app, tenant)
  const body = { userName: `ada@${domain}`, externalId: 'e1' }
  const { id } = await add(body)
  await call('DELETE', `/Users/${id}`)
  const replies = await Promise.all(Array.from({ length: 5 }, () => call('POST', '/Users', body)))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
})

test('an address that is only like that of another person is not theirs', async () => {
  const { subOrgId, domain, call, readUser } = await provenClient(app, tenant)
  const { user } = (await tenant.post('/v1/users', { subOrgId, email: `kim@${domain}` })).body
  for (const local of ['ｋim', '\u212Aim', 'kim\u00A0', 'ki\u00ADm', 'kím', '"kim"']) {
    const reply = await call('POST', '/Users', { userName: fresh(), emails: [{ value: `${local}@${domain}` }] })
    expect([local, reply.status, reply.body.scimType]).toEqual([local, 400, 'invalidValue'])
  }
  expect((await call('POST', '/Users', { userName: `kim＠${domain}` })).status).toBe(400)
  expect(await readUser(user.id)).toMatchObject({ scimManaged: false, emailVerified: false })
  const mine = await call('POST', '/Users', { userName: ` KIM@${domain.toUpperCase()} ` })
  expect([mine.status, mine.body.id]).toEqual([201, user.id])
})
