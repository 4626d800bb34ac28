import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness.ts'
import { type Mailbox, newUser } from '../../../../../test/people/people.ts'
import { mailedCode, mailedLink } from '../../../../../test/people/sign-in.ts'
import { snapshot } from '../../../../../test/snapshot.ts'

const app = await startApp()
const tenant = await app.tenant()
const SEND = '/v1/auth/login/magic-link/send'
const VERIFY = '/v1/auth/login/magic-link/verify'

async function sendLink({ subOrgId, email }: Mailbox) {
  const sent = await tenant.post(SEND, { subOrgId, email })
  expect(sent.status, sent.text).toBe(200)
  return { ...(await mailedLink(app, email, 'magic_link')), sent }
}

const verify = ({ subOrgId, email }: Mailbox, token_hash: string) =>
  tenant.post(VERIFY, { subOrgId, email, token_hash })

const sessionsIn = async (subOrgId: string) => (await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).body.users

/** The parts of a response that must not differ between addresses. */
const shapeOf = (reply: Awaited<ReturnType<typeof tenant.post>>) => ({
  status: reply.status,
  keys: Object.keys(reply.body),
  headers: [...reply.headers.keys()].filter((name) => name !== 'date'),
  length: reply.text.length,
})

test('a mailed link becomes a session, once', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const { url, type, email, token_hash, sent } = await sendLink(user)
  expect(sent.body).toEqual({
    delivery_hint: `${user.email[0]}•••@example.com`,
    expires_at: expect.any(String),
    otp_id: expect.any(String),
  })
  expect(sent.headers.get('ratelimit')).toMatch(/^"default";r=2;/)
  expect([url.split('?')[0], type, email]).toEqual(['http://localhost:4000/auth/link', 'magiclink', user.email])
  const body = { subOrgId, email: user.email.toUpperCase(), token_hash }
  const reply = await tenant.post(VERIFY, body, { 'x-end-user-ip': '203.0.113.7' })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.session).toMatchObject({ expires_in: 3600, directory_user_id: user.id })
  expect(decodeJwt(reply.body.session.access_token)).toMatchObject({ amr: ['otp'], email_verified: true })
  expect((await sessionsIn(subOrgId))[0].sessions).toMatchObject([
    { auth_method: 'magic_link', ip_address: '203.0.113.7', amr: ['otp'] },
  ])
  const again = await verify(user, token_hash)
  expect([again.status, again.body.code]).toEqual([400, 'token_invalid'])
  expect((await sessionsIn(subOrgId))[0].sessions).toHaveLength(1)
  const events = await app.events({ accountId: tenant.accountId })
  const types = events.map((event) => event.type)
  expect(types.slice(types.indexOf('auth.magic_link.sent'))).toEqual([
    'auth.magic_link.sent',
    'user.email_verified',
    'session.created',
    'auth.login.succeeded',
    'auth.login.failed',
  ])
  expect(events.at(-1)).toMatchObject({ target_id: user.id, data: { method: 'magic_link', reason: 'token_invalid' } })
  expect(JSON.stringify(events)).not.toContain(token_hash)
  const rows = await app.app.platform.db.selectFrom('links').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(token_hash)
})

test('the words in the same mail sign in as well, on another device', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const { sent } = await sendLink(user)
  const body = { subOrgId, email: user.email, otp_id: sent.body.otp_id, code: await mailedCode(app, user.email) }
  const reply = await tenant.post('/v1/auth/login/otp/verify', body)
  expect(reply.body.session.directory_user_id).toBe(user.id)
})

test('the mail has words only where codes may be sent by mail', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/otp/settings', { subOrgId, mode: 'both' })
  const user = await newUser(tenant, { subOrgId })
  expect((await sendLink(user)).sent.body.otp_id).not.toBeNull()
  expect((await app.mails(user.email)).at(-1)?.text).toMatch(/\(or \d{6}, if you are asked for digits\)/)
  const turnOff = [
    () => tenant.patch('/v1/otp/settings', { subOrgId, channel_email: false }),
    () => tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: ['auth', 'magic_link'] }),
  ]
  for (const off of turnOff) {
    expect((await off()).status).toBe(200)
    const link = await sendLink(user)
    expect(link.sent.body.otp_id).toBeNull()
    await expect(mailedCode(app, user.email)).rejects.toThrow('No code')
    await tenant.patch('/v1/otp/settings', { subOrgId, channel_email: null })
  }
  expect((await tenant.post(SEND, { subOrgId, email: user.email, otp_id: 'x' })).body.code).toBe('invalid_request')
})

test('programs that follow the link spend nothing', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const { url, token_hash } = await sendLink(user)
  const { pathname, search } = new URL(url)
  const before = await snapshot(app)
  for (const path of [pathname + search, `${VERIFY}${search}`, `/api${VERIFY}${search}`])
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      expect((await fetch(app.baseUrl + path, { method, redirect: 'manual' })).status).toBeLessThan(500)
  expect(await snapshot(app)).toEqual(before)
  expect((await verify(user, token_hash)).status).toBe(200)
})

test('a link expires when it says, though no job has run, and only the right one says so', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, magic_link_ttl_seconds: 120 })
  const user = await newUser(tenant, { subOrgId })
  const { token_hash } = await sendLink(user)
  await app.advance(121)
  const other = token_hash.slice(0, -1) + (token_hash.endsWith('A') ? 'B' : 'A')
  expect((await verify(user, other)).body.code).toBe('token_invalid')
  expect((await verify(user, token_hash)).body.code).toBe('token_expired')
  expect(await sessionsIn(subOrgId)).toEqual([])
})

test('a link may live an hour, and the words in its mail no longer than before', async () => {
  const subOrgId = await tenant.organization()
  const settings = (seconds: number) => tenant.patch('/v1/auth/settings', { subOrgId, magic_link_ttl_seconds: seconds })
  expect((await settings(3601)).body.errors[0].field).toBe('magic_link_ttl_seconds')
  expect((await settings(3600)).status).toBe(200)
  const [inTime, late] = [await newUser(tenant, { subOrgId }), await newUser(tenant, { subOrgId })]
  const [used, over] = [await sendLink(inTime), await sendLink(late)]
  const lifetime = Date.parse(used.sent.body.expires_at) - app.app.platform.clock.now().getTime()
  expect(Math.round(lifetime / 10_000)).toBe(360)
  const [mail] = await app.mails(inTime.email)
  expect(mail?.text).toContain('60 minutes')
  expect(mail?.text).toContain('5 minutes')
  const { email } = inTime
  const code = { subOrgId, email, otp_id: used.sent.body.otp_id, code: await mailedCode(app, email) }
  await app.advance(301)
  expect((await tenant.post('/v1/auth/login/otp/verify', code)).body.code).toBe('otp_expired')
  await app.advance(3290)
  expect((await verify(inTime, used.token_hash)).status).toBe(200)
  await app.advance(20)
  expect((await verify(late, over.token_hash)).body.code).toBe('token_expired')
  expect(await sessionsIn(subOrgId)).toHaveLength(1)
})

test('a newer link voids the older one', async () => {
  const user = await newUser(tenant)
  const older = await sendLink(user)
  const newer = await sendLink(user)
  expect((await verify(user, older.token_hash)).body.code).toBe('token_invalid')
  expect((await verify(user, newer.token_hash)).status).toBe(200)
})

test('a link is of one address, one organization and one environment', async () => {
  const [subOrgId, elsewhere] = [await tenant.organization(), await tenant.organization()]
  const user = await newUser(tenant, { subOrgId })
  const neighbour = await newUser(tenant, { subOrgId })
  await newUser(tenant, { subOrgId: elsewhere, email: user.email })
  const { token_hash } = await sendLink(user)
  const staging = await tenant.withKey({ environment: 'staging' })
  await staging.post('/v1/users', { subOrgId, email: user.email })
  const stranger = await app.tenant()
  const strangersOrg = await stranger.organization()
  const replies = [
    await verify(neighbour, token_hash),
    await verify({ ...user, subOrgId: elsewhere }, token_hash),
    await staging.post(VERIFY, { subOrgId, email: user.email, token_hash }),
    await stranger.post(VERIFY, { subOrgId: strangersOrg, email: user.email, token_hash }),
    await verify(user, ''.padEnd(token_hash.length, 'A')),
    await verify(user, `${token_hash} `),
  ]
  for (const reply of replies) expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
  expect((await verify(user, token_hash)).status).toBe(200)
})

test('a link of one purpose serves no other', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const { email } = user
  await tenant.post(SEND, { subOrgId, email })
  await tenant.post(`/v1/users/${user.id}/verify/resend`, { subOrgId })
  await tenant.post('/v1/auth/signup/authenticate-email/send', { subOrgId, email })
  await tenant.post('/v1/auth/password/reset/send', { subOrgId, email })
  const routes = {
    magic_link: VERIFY,
    email_verification: '/v1/auth/email/verify',
    signup_link: '/v1/auth/signup/authenticate-email/verify',
    password_reset: '/v1/auth/password/reset/confirm',
  }
  for (const kind of Object.keys(routes)) {
    const { token_hash } = await mailedLink(app, email, kind)
    for (const [own, path] of Object.entries(routes)) {
      if (own === kind) continue
      const password = own === 'password_reset' ? { password: 'correct horse battery' } : {}
      const reply = await tenant.post(path, { subOrgId, email, token_hash, ...password })
      expect([kind, own, reply.status, reply.body.code]).toEqual([kind, own, 400, 'token_invalid'])
    }
  }
  expect(await sessionsIn(subOrgId)).toEqual([])
  expect((await verify(user, (await mailedLink(app, email, 'magic_link')).token_hash)).status).toBe(200)
})

test('a link on its way does not outlive what cut its user off', async () => {
  const [subOrgId, elsewhere] = [await tenant.organization(), await tenant.organization()]
  const patch = (id: string, body: object) => tenant.patch(`/v1/users/${id}`, { subOrgId, ...body })
  const ways = [
    async (id: string) => [await patch(id, { active: false }), await patch(id, { active: true })],
    async (id: string, email: string) => [await patch(id, { email: `x-${email}` }), await patch(id, { email })],
    async (id: string) => [
      await tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId: elsewhere }),
      await tenant.post(`/v1/users/${id}`, { subOrgId: elsewhere, targetSubOrgId: subOrgId }),
    ],
    async (id: string, email: string) => [
      await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`),
      await tenant.post('/v1/users', { subOrgId, email }),
    ],
  ]
  for (const way of ways) {
    const user = await newUser(tenant, { subOrgId })
    const { token_hash } = await sendLink(user)
    for (const reply of await way(user.id, user.email)) expect(reply.status, reply.text).toBe(200)
    expect((await verify(user, token_hash)).body.code).toBe('token_invalid')
    expect((await verify(user, (await sendLink(user)).token_hash)).status).toBe(200)
  }
})

test('the door is asked when the link is redeemed: suspended, locked, and switched off', async () => {
  const subOrgId = await tenant.organization()
  const user = await newUser(tenant, { subOrgId })
  const { token_hash } = await sendLink(user)
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })
  expect((await verify(user, token_hash)).body.code).toBe('organization_suspended')
  for (const email of [user.email, 'nobody@example.com'])
    expect((await tenant.post(SEND, { subOrgId, email })).body.code).toBe('organization_suspended')
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' })
  const on = ['auth', 'password', 'otp', 'sessions']
  await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: on })
  expect((await verify(user, token_hash)).body.code).toBe('service_disabled')
  await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: [...on, 'magic_link'] })
  await tenant.patch('/v1/auth/settings', { subOrgId, lockout_scope: 'all' })
  const wrong = { subOrgId, email: user.email, password: 'not the password' }
  for (let i = 0; i < 10; i++) await tenant.post('/v1/auth/login/password', wrong)
  const locked = await verify(user, token_hash)
  expect([locked.status, locked.body.code]).toEqual([429, 'account_locked'])
  expect(await sessionsIn(subOrgId)).toEqual([])
})

test('unknown, inactive and known addresses are answered alike, and only the known one gets a mail', async () => {
  const subOrgId = await tenant.organization()
  const known = await newUser(tenant, { subOrgId, email: 'known.person@example.com' })
  const inactive = await newUser(tenant, { subOrgId, email: 'kold.person@example.com' })
  await tenant.patch(`/v1/users/${inactive.id}`, { subOrgId, active: false })
  const emails = [known.email, inactive.email, 'knew.nobody@example.com']
  const issuer = await tenant.withKey({ scopes: ['auth.login', 'links.issue'] })
  for (const deliver of [true, false]) {
    const replies = []
    for (const email of emails) replies.push(await issuer.post(SEND, { subOrgId, email, deliver }))
    // A response with the link contains the address, whose length varies.
    const spare = (i: number) => (deliver ? 0 : (emails[i]?.length ?? 0))
    const shapes = replies.map((reply, i) => ({ ...shapeOf(reply), length: reply.text.length - spare(i) }))
    expect(shapes[1]).toEqual(shapes[0])
    expect(shapes[2]).toEqual(shapes[0])
    for (const i of [1, 2]) {
      const token_hash = new URL(replies[i]?.body.url ?? 'https://x.test').searchParams.get('token_hash')
      if (!token_hash) continue
      const redeemed = await verify({ subOrgId, email: emails[i] ?? '' }, token_hash)
      expect([redeemed.status, redeemed.body.session]).toEqual([i === 1 ? 403 : 400, undefined])
    }
  }
  const mails = (await app.mails()).filter((mail) => emails.includes(mail.to))
  expect(mails.map((mail) => mail.to)).toEqual([known.email])
  // The code of a mail that is never sent is withheld, so that it does not void a code that was sent.
  const codes = app.app.platform.db
    .selectFrom('otps')
    .select(['user_id', 'withheld'])
    .orderBy('created_at')
    .orderBy('id')
  const { id } = await app.app.platform.db
    .selectFrom('directories')
    .select('id')
    .where('organization_id', '=', subOrgId)
    .executeTakeFirstOrThrow()
  expect(await codes.where('directory_id', '=', id).execute()).toEqual([
    { user_id: known.id, withheld: false },
    { user_id: null, withheld: true },
    { user_id: null, withheld: true },
  ])
})

test('sends are limited per address, by the settings, whatever its spelling', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, magic_link_rate_limit_per_hour: 4 })
  const spellings = ['a.b@example.com', 'A.B@example.com', 'a.b@EXAMPLE.com', 'A.b@Example.com']
  const statuses = []
  for (const email of spellings) statuses.push((await tenant.post(SEND, { subOrgId, email })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  await app.advance(61)
  // The refused request has been counted too.
  expect((await tenant.post(SEND, { subOrgId, email: 'a.b@example.com' })).status).toBe(429)
  await app.advance(3600)
  expect((await tenant.post(SEND, { subOrgId, email: 'a.b@example.com' })).status).toBe(200)
})
