import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail, newPendingUser, sessionsIn, usersAt } from '../../../../test/people/people.ts'
import { mailedLink, signedInUser } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const SIGNUP = '/v1/auth/signup'
const WITH_PASSWORD = '/v1/auth/signup/password'
const password = 'correct horse battery staple'
const routes = [
  [SIGNUP, {}],
  [WITH_PASSWORD, { password }],
] as const

const settingsOf = async (subOrgId: string, settings: object) =>
  expect((await tenant.patch('/v1/auth/settings', { subOrgId, ...settings })).status).toBe(200)

test.each(routes)('%s makes a user, a session, and a mail that asks for the proof', async (path, extra) => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const names = { firstName: 'Ada', lastName: 'Lovelace', phone: '+14155550123' }
  const seen = (await app.events({ accountId: tenant.accountId })).length
  const reply = await tenant.post(path, { subOrgId, email, openSignup: true, ...names, ...extra })
  expect(reply.status, reply.text).toBe(200)
  const { session } = reply.body
  const [user] = await usersAt(tenant, subOrgId, email)
  expect(user).toMatchObject({ ...names, status: 'active', emailVerified: false, source: 'signup' })
  expect(session).toMatchObject({ directory_user_id: user.id, user_id: user.userId })
  const amr = path === SIGNUP ? [] : ['pwd']
  expect(decodeJwt(session.access_token)).toMatchObject({ amr, email_verified: false })
  expect(await sessionsIn(tenant, subOrgId)).toMatchObject([{ auth_method: 'signup', amr }])
  const types = (await app.events({ accountId: tenant.accountId })).slice(seen).map((event) => event.type)
  expect(types).toEqual([
    'user.created',
    'auth.email_verification.sent',
    'auth.signup.succeeded',
    'session.created',
    'auth.login.succeeded',
  ])
  expect((await app.mails(email)).map((mail) => mail.kind)).toEqual(['email_verification'])
  const login = await tenant.post('/v1/auth/login/password', { subOrgId, email, password })
  expect(login.status).toBe(path === SIGNUP ? 401 : 200)
  expect(JSON.stringify(await app.events({ accountId: tenant.accountId }))).not.toContain(password)
})

test.each(routes)('%s changes nothing for whoever exists', async (path, extra) => {
  const subOrgId = await tenant.organization()
  const member = await signedInUser(app, tenant, subOrgId, newEmail())
  const [provisioned, waiting] = [newEmail(), newEmail()]
  await tenant.post('/v1/users', { subOrgId, email: provisioned })
  await newPendingUser(app.app.platform.db, tenant, { subOrgId, email: waiting })
  const before = await snapshot(app)
  for (const [email, status, code] of [
    [member.email, 409, 'email_exists'],
    [member.email.toUpperCase(), 409, 'email_exists'],
    [provisioned, 403, 'verification_required'],
    [waiting, 403, 'verification_required'],
  ] as const) {
    const reply = await tenant.post(path, { subOrgId, email, openSignup: true, firstName: 'Eve', ...extra })
    expect([email, reply.status, reply.body.code]).toEqual([email, status, code])
  }
  expect(await snapshot(app)).toEqual(before)
})

test.each(routes)('%s follows openSignup, then the setting, and allow_sign_up above both', async (path, extra) => {
  const subOrgId = await tenant.organization()
  const sign = async (body: object) => {
    const reply = await tenant.post(path, { subOrgId, email: newEmail(), ...extra, ...body })
    return reply.body.code ?? 'session'
  }
  expect([await sign({}), await sign({ openSignup: false }), await sign({ openSignup: true })]).toEqual([
    'signup_disabled',
    'signup_disabled',
    'session',
  ])
  const closed = await tenant.post(path, { subOrgId, email: newEmail(), ...extra })
  expect(closed.body.detail).toMatch(/openSignup.*open_signup_default/)
  await settingsOf(subOrgId, { open_signup_default: true })
  expect([await sign({}), await sign({ openSignup: false })]).toEqual(['session', 'signup_disabled'])
  await settingsOf(subOrgId, { allow_sign_up: false })
  const { email } = await signedInUser(app, tenant, subOrgId, newEmail())
  expect([await sign({}), await sign({ openSignup: true }), await sign({ email })]).toEqual(
    Array(3).fill('signup_disabled'),
  )
})

test.each(routes)('%s makes nothing where the mailbox has to be proved first', async (path, extra) => {
  const subOrgId = await tenant.organization()
  await settingsOf(subOrgId, { require_email_verification: true })
  const { email } = await signedInUser(app, tenant, subOrgId, newEmail())
  const before = await snapshot(app)
  for (const each of [newEmail(), email]) {
    const reply = await tenant.post(path, { subOrgId, email: each, openSignup: true, ...extra })
    expect([reply.status, reply.body.code]).toEqual([403, 'verification_required'])
  }
  expect(await snapshot(app)).toEqual(before)
})

test('a password that the policy refuses leaves nothing behind', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const before = await snapshot(app)
  for (const [tried, code] of [
    ['short', 'weak_password'],
    [email, 'weak_password'],
    ['password123', 'password_breached'],
  ] as const) {
    const reply = await tenant.post(WITH_PASSWORD, { subOrgId, email, password: tried, openSignup: true })
    expect([tried, reply.status, reply.body.code]).toEqual([tried, 422, code])
    expect(reply.text).not.toContain(`"${tried}"`)
  }
  expect(await snapshot(app)).toEqual(before)
})

test('passwords that are off refuse a sign-up with one, and leave the other', async () => {
  const subOrgId = await tenant.organization()
  const sign = (path: string, extra: object) =>
    tenant.post(path, { subOrgId, email: newEmail(), openSignup: true, ...extra })
  await settingsOf(subOrgId, { email_password_enabled: false })
  expect((await sign(WITH_PASSWORD, { password })).body.code).toBe('method_disabled')
  await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds: ['auth'] })
  expect((await sign(WITH_PASSWORD, { password })).body.code).toBe('service_disabled')
  expect((await sign(SIGNUP, {})).status).toBe(200)
})

test('sign-ups with one address are limited', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const codes = []
  for (let i = 0; i < 12; i++)
    codes.push((await tenant.post(SIGNUP, { subOrgId, email, openSignup: true })).body.code ?? 'session')
  expect(codes).toEqual(['session', ...Array(9).fill('email_exists'), 'rate_limited', 'rate_limited'])
  await app.advance(61)
  expect((await tenant.post(SIGNUP, { subOrgId, email, openSignup: true })).body.code).toBe('email_exists')
})

test('an expired sign-up that waited makes room for another', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  await newPendingUser(app.app.platform.db, tenant, { subOrgId, email })
  await app.advance(86_401)
  expect((await tenant.post(SIGNUP, { subOrgId, email, openSignup: true })).status).toBe(200)
  expect(await usersAt(tenant, subOrgId, email)).toHaveLength(1)
})

test.each(routes)('%s: of eight at once through two services, one makes the user', async (path, extra) => {
  const subOrgId = await tenant.organization()
  const callers = [tenant, second.as(tenant.key)]
  for (let round = 0; round < 3; round++) {
    const email = newEmail()
    const body = { subOrgId, email, openSignup: true, ...extra }
    const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => callers[i % 2]?.post(path, body)))
    const codes = replies.map((reply) => reply?.body.code ?? 'session').sort()
    expect(codes).toEqual([...Array(7).fill('email_exists'), 'session'])
    expect(await usersAt(tenant, subOrgId, email)).toHaveLength(1)
    expect(await app.mails(email)).toHaveLength(1)
  }
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(3)
})

test('whoever signs up with another’s address loses the way in when the owner proves the mailbox', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const eve = await tenant.post(WITH_PASSWORD, { subOrgId, email, password, openSignup: true })
  const planted = await mailedLink(app, email, 'email_verification')
  await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email })
  const { token_hash } = await mailedLink(app, email, 'magic_link')
  const owner = await tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email, token_hash })
  expect(owner.body.session.user_id).toBe(eve.body.session.user_id)
  const { refresh_token } = eve.body.session
  expect((await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })).status).toBe(401)
  expect((await tenant.post('/v1/auth/login/password', { subOrgId, email, password })).status).toBe(401)
  const late = await tenant.post('/v1/auth/email/verify', { subOrgId, email, token_hash: planted.token_hash })
  expect(late.body.code).toBe('token_invalid')
  expect(await sessionsIn(tenant, subOrgId)).toHaveLength(1)
})
