import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const tenant = await app.tenant()
const second = await startSecondApp(app)
const subOrgId = await tenant.organization()
const OLD = 'correct horse battery staple'
const NEW = 'a quite different sentence'

const send = (email: string, extra: object = {}) =>
  tenant.post('/v1/auth/password/reset/send', { subOrgId, email, ...extra })
const confirm = (email: string, token_hash: string, password = NEW, org = subOrgId) =>
  tenant.post('/v1/auth/password/reset/confirm', { subOrgId: org, email, token_hash, password })
const login = (email: string, password: string) => tenant.post('/v1/auth/login/password', { subOrgId, email, password })

test('a mailed link sets a password, proves the mailbox and opens a session, once', async () => {
  const { id, email } = await newUser(tenant, { subOrgId })
  await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: OLD })
  const before = await signIn(app, tenant, subOrgId, email)
  const sent = await send(email)
  expect(sent.body).toEqual({ delivery_hint: `${email[0]}•••@example.com` })
  const link = await mailedLink(app, email, 'password_reset')
  expect(link).toMatchObject({ email, type: 'recovery' })
  expect(link.url.startsWith('http://localhost:4000/auth/link?')).toBe(true)
  const weak = await confirm(email, link.token_hash, 'short')
  expect([weak.status, weak.body.code]).toEqual([422, 'weak_password'])
  const reply = await confirm(email, link.token_hash)
  expect(reply.status, reply.text).toBe(200)
  expect((await tenant.get(`/v1/users/${id}`)).body.user.emailVerified).toBe(true)
  const introspect = (token: string) => tenant.post('/v1/auth/token/introspect', { token })
  expect((await introspect(before.access_token)).body.active).toBe(false)
  expect((await introspect(reply.body.session.access_token)).body.active).toBe(true)
  const again = await confirm(email, link.token_hash)
  expect([again.status, again.body.code]).toEqual([400, 'token_invalid'])
  expect((await login(email, NEW)).status).toBe(200)
  const types = (await app.events({ accountId: tenant.accountId })).filter((each) => each.target_id === id)
  expect(types.map((each) => each.type)).toEqual(
    expect.arrayContaining(['auth.password_reset.requested', 'auth.password_reset.completed', 'auth.password.changed']),
  )
  expect((await app.mails(email)).at(-1)?.kind).toBe('password_changed')
})

test('known and unknown addresses get the same answer, and only somebody gets a mail', async () => {
  const { email } = await newUser(tenant, { subOrgId })
  const unknown = newEmail()
  const replies = [await send(email), await send(unknown)]
  const shape = replies.map((reply) => [reply.status, Object.keys(reply.body), [...reply.headers.keys()].sort()])
  expect(shape[0]).toEqual(shape[1])
  expect(await app.mails(unknown)).toEqual([])
})

test('a link dies by time, by a newer one, by another address, organization or state of its user', async () => {
  const { id, email } = await newUser(tenant, { subOrgId })
  await send(email)
  const first = await mailedLink(app, email, 'password_reset')
  await send(email)
  const second = await mailedLink(app, email, 'password_reset')
  expect((await confirm(email, first.token_hash)).body.code).toBe('token_invalid')
  const other = await newUser(tenant, { subOrgId })
  expect((await confirm(other.email, second.token_hash)).body.code).toBe('token_invalid')
  const elsewhere = await tenant.organization()
  await tenant.post('/v1/users', { subOrgId: elsewhere, email })
  expect((await confirm(email, second.token_hash, NEW, elsewhere)).body.code).toBe('token_invalid')
  const flipped = second.token_hash.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  expect((await confirm(email, flipped)).body.code).toBe('token_invalid')
  await tenant.patch(`/v1/users/${id}`, { subOrgId, active: false })
  expect((await confirm(email, second.token_hash)).body.code).toBe('token_invalid')
  await tenant.patch(`/v1/users/${id}`, { subOrgId, active: true })
  await app.advance(60)
  await send(email)
  const third = await mailedLink(app, email, 'password_reset')
  await app.advance(1801)
  expect((await confirm(email, third.token_hash)).body.code).toBe('token_expired')
  expect(await app.app.platform.db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()).toEqual([])
})

test('of many confirmations at once one passes', async () => {
  const { id, email } = await newUser(tenant, { subOrgId })
  await send(email)
  const { token_hash } = await mailedLink(app, email, 'password_reset')
  const callers = [tenant, second.as(tenant.key)]
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      callers[i % 2]?.post('/v1/auth/password/reset/confirm', {
        subOrgId,
        email,
        token_hash,
        password: `${NEW} ${i}`,
      }),
    ),
  )
  const won = replies.flatMap((reply, i) => (reply?.status === 200 ? [i] : []))
  expect(won).toHaveLength(1)
  for (const reply of replies) if (reply?.status !== 200) expect(reply?.body.code).toBe('token_invalid')
  const live = await tenant.get(`/v1/sessions?subOrgId=${subOrgId}&userId=${id}`)
  expect(live.body.users[0].sessions).toHaveLength(1)
  expect((await login(email, `${NEW} ${won[0]}`)).status).toBe(200)
})

test('limits and settings refuse', async () => {
  const { id, email } = await newUser(tenant, { subOrgId })
  for (let i = 0; i < 3; i++) expect((await send(email)).status).toBe(200)
  const limited = await send(email.toUpperCase())
  expect([limited.status, limited.body.code]).toEqual([429, 'rate_limited'])
  expect((await tenant.post(`/v1/users/${id}/password/reset`, { subOrgId })).status).toBe(429)
  const closed = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId: closed, password_reset_enabled: false })
  const refused = await tenant.post('/v1/auth/password/reset/send', { subOrgId: closed, email })
  expect([refused.status, refused.body.code]).toEqual([403, 'password_reset_disabled'])
})

test('an administrator sends a link, or gets it instead with links.issue', async () => {
  const { id, email } = await newUser(tenant, { subOrgId })
  const sent = await tenant.post(`/v1/users/${id}/password/reset`, { subOrgId })
  expect(sent.body).toEqual({ success: true, delivery_hint: `${email[0]}•••@example.com` })
  expect(sent.headers.get('x-ratelimit-limit')).toBe('3')
  expect(await mailedLink(app, email, 'password_reset')).toMatchObject({ type: 'recovery' })
  const weak = await tenant.withKey({ scopes: ['users.write', 'auth.login'] })
  const refused = await weak.post(`/v1/users/${id}/password/reset`, { subOrgId, deliver: false })
  expect([refused.status, refused.body.scope]).toEqual([403, 'links.issue'])
  const mails = (await app.mails(email)).length
  const issued = await tenant.post(`/v1/users/${id}/password/reset`, { subOrgId, deliver: false })
  expect((await app.mails(email)).length).toBe(mails)
  const token = new URL(issued.body.url).searchParams.get('token_hash') ?? ''
  expect((await confirm(email, token)).status).toBe(200)
  // For an unknown address, the response has a URL of the same form that redeems nothing.
  const decoy = await send(newEmail(), { deliver: false })
  expect(decoy.body.url.length).toBeGreaterThan(100)
})

test.each(['suspended', 'archived'])('an administrator sends no link in an organization that is %s', async (status) => {
  const organization = await tenant.organization()
  const email = newEmail()
  const { user } = (await tenant.post('/v1/users', { subOrgId: organization, email })).body
  await tenant.patch(`/v1/organizations/${organization}`, { status })
  const refused = await tenant.post(`/v1/users/${user.id}/password/reset`, { subOrgId: organization })
  expect([refused.status, refused.body.code]).toEqual([403, 'organization_suspended'])
  expect(await app.mails(email)).toEqual([])
})

test('the link leads only where the settings allow', async () => {
  const { email } = await newUser(tenant, { subOrgId })
  await tenant.patch('/v1/auth/settings', {
    subOrgId,
    allowed_redirect_uris: ['https://app.example.com/reset?from=mail'],
  })
  const refused = await send(email, { redirectTo: 'https://app.example.com/other' })
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_redirect_uri'])
  expect((await send(email, { redirectTo: 'https://app.example.com/reset?from=mail' })).status).toBe(200)
  const { url } = await mailedLink(app, email, 'password_reset')
  expect(url.startsWith('https://app.example.com/reset?from=mail&token_hash=')).toBe(true)
})
