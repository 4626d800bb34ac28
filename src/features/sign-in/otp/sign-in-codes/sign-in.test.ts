import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { startApp, type Tenant, until } from '../../../../../test/harness.ts'
import { newUser } from '../../../../../test/people/people.ts'
import { mailedCode } from '../../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()

async function sendCode(caller: Pick<Tenant, 'post'>, subOrgId: string, email: string): Promise<string> {
  const reply = await caller.post('/v1/auth/login/otp/send', { subOrgId, email })
  expect(reply.status, reply.text).toBe(200)
  return reply.body.otp_id
}

test('two mailed words become a session whose token a stock JWT library accepts', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const sent = await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: user.email })
  expect(sent.body).toEqual({
    otp_id: expect.any(String),
    expires_at: expect.any(String),
    delivery_hint: `${user.email[0]}•••@example.com`,
    delivery_method: 'email',
  })
  expect(sent.headers.get('ratelimit')).toMatch(/^"default";r=2;/)
  const body = { subOrgId, email: user.email.toUpperCase(), otp_id: sent.body.otp_id }
  const code = (await mailedCode(app, user.email)).toUpperCase().replace(' ', '-')
  const reply = await tenant.post('/v1/auth/login/otp/verify', { ...body, code }, { 'x-end-user-ip': '203.0.113.7' })
  expect(reply.status, reply.text).toBe(200)
  const { session } = reply.body
  expect(session).toMatchObject({ expires_in: 3600, directory_user_id: user.id, user_id: expect.any(String) })
  const metadata = await app
    .as(null)
    .get(`/accounts/${tenant.accountId}/production/.well-known/oauth-authorization-server`)
  const home = metadata.body.issuer === 'http://localhost:4000'
  const path = home ? '' : `/accounts/${tenant.accountId}/production`
  const keys = createRemoteJWKSet(new URL(`${app.baseUrl}${path}/.well-known/jwks.json`))
  const { payload, protectedHeader } = await jwtVerify(session.access_token, keys, {
    issuer: metadata.body.issuer,
    audience: tenant.accountId,
    typ: 'at+jwt',
  })
  expect(protectedHeader.alg).toBe('ES256')
  expect(payload).toMatchObject({
    sub: session.user_id,
    org_id: subOrgId,
    email: user.email,
    amr: ['otp'],
    email_verified: true,
  })
  const listed = await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)
  expect(listed.body.users[0].sessions[0]).toMatchObject({
    id: payload['sid'],
    ip_address: '203.0.113.7',
    auth_method: 'otp',
  })
  const types = (await app.events({ accountId: tenant.accountId })).map((event) => event.type)
  expect(types.slice(types.indexOf('auth.otp.sent'))).toEqual([
    'auth.otp.sent',
    'user.email_verified',
    'session.created',
    'auth.login.succeeded',
  ])
})

test('session.created names the auth account, of the first sign-in and of the next', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const { id, email } = await newUser(tenant, { subOrgId })
  const accounts: string[] = []
  for (let round = 0; round < 2; round++) {
    const otp_id = await sendCode(tenant, subOrgId, email)
    const code = await mailedCode(app, email)
    const { body } = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })
    accounts.push(body.session.user_id)
    await app.advance(60)
  }
  expect(new Set(accounts).size).toBe(1)
  const events = await app.events({ accountId: tenant.accountId, type: 'session.created' })
  const named = events.map(({ data }) => data)
  expect(named).toMatchObject(accounts.map((user_id) => ({ user_id, directory_user_id: id })))
})

test('a code is good for one session only', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const otp_id = await sendCode(tenant, subOrgId, user.email)
  const body = { subOrgId, email: user.email, otp_id, code: await mailedCode(app, user.email) }
  expect((await tenant.post('/v1/auth/login/otp/verify', body)).status).toBe(200)
  const again = await tenant.post('/v1/auth/login/otp/verify', body)
  expect([again.status, again.body.code]).toEqual([401, 'otp_invalid'])
})

test('unknown, inactive and known addresses are answered alike, and only the known one gets a mail', async () => {
  const subOrgId = await tenant.organization()
  const known = await newUser(tenant, { subOrgId, email: 'known.person@example.com' })
  const inactive = await newUser(tenant, { subOrgId, email: 'kold.person@example.com' })
  await tenant.patch(`/v1/users/${inactive.id}`, { subOrgId, active: false })
  const replies = []
  for (const email of [known.email, inactive.email, 'knew.nobody@example.com'])
    replies.push(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
  const shapes = replies.map((reply) => ({
    status: reply.status,
    keys: Object.keys(reply.body),
    hint: reply.body.delivery_hint,
    headers: [...reply.headers.keys()].filter((name) => name !== 'date'),
    length: reply.text.length,
  }))
  expect(shapes[1]).toEqual(shapes[0])
  expect(shapes[2]).toEqual(shapes[0])
  expect((await app.mails()).filter((mail) => mail.to.endsWith('person@example.com')).map((mail) => mail.to)).toEqual([
    known.email,
  ])
  const [, , unknown] = replies
  const verify = { subOrgId, email: 'knew.nobody@example.com', otp_id: unknown?.body.otp_id, code: 'amber falcon' }
  const refused = await tenant.post('/v1/auth/login/otp/verify', verify)
  expect([refused.status, refused.body.code]).toEqual([401, 'otp_invalid'])
})

test('five wrong codes kill the code, and the right one comes too late', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const otp_id = await sendCode(tenant, subOrgId, user.email)
  const body = { subOrgId, email: user.email, otp_id }
  for (let i = 0; i < 5; i++)
    expect((await tenant.post('/v1/auth/login/otp/verify', { ...body, code: 'wrong words' })).body.code).toBe(
      'otp_invalid',
    )
  const late = await tenant.post('/v1/auth/login/otp/verify', { ...body, code: await mailedCode(app, user.email) })
  expect([late.status, late.body.code]).toEqual([429, 'otp_too_many_attempts'])
})

test('a code expires, and only the right one says so', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const otp_id = await sendCode(tenant, subOrgId, user.email)
  const code = await mailedCode(app, user.email)
  await app.advance(301)
  const body = { subOrgId, email: user.email, otp_id }
  expect((await tenant.post('/v1/auth/login/otp/verify', { ...body, code: 'wrong words' })).body.code).toBe(
    'otp_invalid',
  )
  expect((await tenant.post('/v1/auth/login/otp/verify', { ...body, code })).body.code).toBe('otp_expired')
})

test('asked again at once, the same code stays; later a new one voids it', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const first = await sendCode(tenant, subOrgId, user.email)
  const code = await mailedCode(app, user.email)
  expect(await sendCode(tenant, subOrgId, user.email)).toBe(first)
  expect(await app.mails(user.email)).toHaveLength(1)
  await app.advance(31)
  const second = await sendCode(tenant, subOrgId, user.email)
  expect(second).not.toBe(first)
  const old = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: user.email, otp_id: first, code })
  expect(old.body.code).toBe('otp_invalid')
})

test('a code of the generator, of another purpose or of another organization signs nobody in', async () => {
  const subOrgId = await tenant.organization()
  const other = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  await tenant.post('/v1/users', { subOrgId: other, email: user.email })
  const generated = await tenant.post('/v1/otp/generate', { subOrgId, email: user.email })
  const login = { otp_id: await sendCode(tenant, subOrgId, user.email), code: await mailedCode(app, user.email) }
  const elsewhere = { otp_id: await sendCode(tenant, other, user.email), code: await mailedCode(app, user.email) }
  const verify = (path: string, otp: { otp_id: string; code: string }) =>
    tenant.post(path, { subOrgId, email: user.email, otp_id: otp.otp_id, code: otp.code })
  for (const [path, otp] of [
    ['/v1/auth/login/otp/verify', generated.body],
    ['/v1/auth/signup/otp/verify', generated.body],
    ['/v1/auth/signup/otp/verify', login],
    ['/v1/auth/login/otp/verify', elsewhere],
  ] as const)
    expect((await verify(path, otp)).body.code, path).toBe('otp_invalid')
  expect((await tenant.post('/v1/otp/validate', { subOrgId, ...login })).body.valid).toBe(false)
  expect((await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).body.users).toEqual([])
})

test('sends are limited per address, whatever its spelling', async () => {
  const subOrgId = await tenant.organization()
  const spellings = ['a.b@example.com', 'A.B@example.com', 'a.b@EXAMPLE.com', 'A.b@Example.com']
  const statuses = []
  for (const email of spellings)
    statuses.push((await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('a suspended organization and a switched-off service refuse before a code is made', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })
  for (const email of [user.email, 'nobody@example.com'])
    expect((await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })).body.code).toBe('organization_suspended')
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' })
  await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: ['auth'] })
  expect((await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: user.email })).body.code).toBe(
    'service_disabled',
  )
  expect((await tenant.get(`/v1/auth/methods?subOrgId=${subOrgId}`)).body).toEqual({ methods: [], enforced: false })
})

const verifyCode = async (subOrgId: string, email: string, otp_id: string, code: string) =>
  tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })

const liveSessions = async (subOrgId: string) =>
  (await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).body.users.length

test('a code on its way does not outlive what cut its user off', async () => {
  const subOrgId = await tenant.organization()
  const elsewhere = await tenant.organization()
  const patch = (id: string, body: object) => tenant.patch(`/v1/users/${id}`, { subOrgId, ...body })
  const ways = [
    async (id: string) => [await patch(id, { active: false }), await patch(id, { active: true })],
    async (id: string, email: string) => [await patch(id, { email: `x-${email}` }), await patch(id, { email })],
    async (id: string) => [
      await tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId: elsewhere }),
      await tenant.post(`/v1/users/${id}`, { subOrgId: elsewhere, targetSubOrgId: subOrgId }),
    ],
  ]
  for (const thereAndBack of ways) {
    const user = await newUser(tenant, { subOrgId })
    const otp_id = await sendCode(tenant, subOrgId, user.email)
    const code = await mailedCode(app, user.email)
    for (const reply of await thereAndBack(user.id, user.email)) expect(reply.status, reply.text).toBe(200)
    const reply = await verifyCode(subOrgId, user.email, otp_id, code)
    expect([reply.status, reply.body.code]).toEqual([401, 'otp_expired'])
    const fresh = await sendCode(tenant, subOrgId, user.email)
    expect((await verifyCode(subOrgId, user.email, fresh, await mailedCode(app, user.email))).status).toBe(200)
    await tenant.delete(`/v1/users/${user.id}?subOrgId=${subOrgId}`)
  }
})

test('an address that changes while its code is redeemed opens nothing and proves nothing', async () => {
  const subOrgId = await tenant.organization()
  const { platform } = app.app
  for (const isVerified of [false, true]) {
    const user = await newUser(tenant, { subOrgId })
    await platform.db.updateTable('users').set({ email_verified: isVerified }).where('id', '=', user.id).execute()
    const otp_id = await sendCode(tenant, subOrgId, user.email)
    const code = await mailedCode(app, user.email)
    const [changed, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const change = platform.tx(async (tx) => {
      const email = `new-${user.email}`
      const values = { email, email_norm: email, email_verified: false }
      await tx.updateTable('users').set(values).where('id', '=', user.id).execute()
      changed.resolve()
      await go.promise
    })
    await changed.promise
    const verifying = verifyCode(subOrgId, user.email, otp_id, code)
    await until(async () => {
      const { rows } = await platform.database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rows.length > 0
    }).finally(() => go.resolve())
    await change
    const reply = await verifying
    expect([reply.status, reply.body.code]).toEqual([401, 'otp_invalid'])
    const after = await tenant.get(`/v1/users/${user.id}?subOrgId=${subOrgId}`)
    expect(after.body.user).toMatchObject({ email: `new-${user.email}`, emailVerified: false, userId: null })
    expect(await liveSessions(subOrgId)).toBe(0)
  }
})
