import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { newEmail, usersAt } from '../../../test/people.ts'
import { mailedCode, signedInUser } from '../../../test/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()

test('open sign-up makes a pending user whom the code turns into a person with a session', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const sent = await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email, openSignup: true })
  expect(sent.status, sent.text).toBe(200)
  expect(await usersAt(tenant, subOrgId, email)).toMatchObject([
    { status: 'invited', emailVerified: false, source: 'signup' },
  ])
  const body = { subOrgId, email, otp_id: sent.body.otp_id, code: await mailedCode(app, email) }
  const reply = await tenant.post('/v1/auth/signup/otp/verify', body)
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.session).toMatchObject({ user_id: expect.any(String), directory_user_id: expect.any(String) })
  expect(await usersAt(tenant, subOrgId, email)).toMatchObject([
    { status: 'active', emailVerified: true, userId: reply.body.session.user_id },
  ])
  const types = (await app.events({ accountId: tenant.accountId })).map((event) => event.type)
  expect(types.slice(types.indexOf('user.created'))).toEqual([
    'user.created',
    'auth.otp.sent',
    'user.email_verified',
    'auth.signup.succeeded',
    'session.created',
    'auth.login.succeeded',
  ])
})

test('closed sign-up answers the same, makes nobody and mails nothing', async () => {
  const subOrgId = await tenant.organization()
  const [unknown, known] = [newEmail(), newEmail()]
  await tenant.post('/v1/users', { subOrgId, email: known })
  const replies = []
  for (const email of [unknown, known]) replies.push(await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email }))
  expect(replies.map((reply) => [reply.status, Object.keys(reply.body)])).toEqual([
    [200, ['otp_id', 'expires_at', 'delivery_hint', 'delivery_method']],
    [200, ['otp_id', 'expires_at', 'delivery_hint', 'delivery_method']],
  ])
  expect(await usersAt(tenant, subOrgId, unknown)).toEqual([])
  expect(await app.mails(unknown)).toEqual([])
  expect(await app.mails(known)).toHaveLength(1)
})

test('the setting decides when the body is silent, and allow_sign_up overrules both', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, open_signup_default: true })
  const email = newEmail()
  await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email })
  expect(await usersAt(tenant, subOrgId, email)).toHaveLength(1)
  await tenant.patch('/v1/auth/settings', { subOrgId, allow_sign_up: false })
  const reply = await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email: newEmail(), openSignup: true })
  expect([reply.status, reply.body.code]).toEqual([403, 'signup_disabled'])
})

test('a pending user without proof is gone after a day', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email, openSignup: true })
  await app.advance(86_401)
  const login = await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })
  expect(login.status).toBe(200)
  expect(await app.mails(email)).toHaveLength(1)
  expect((await tenant.post('/v1/users', { subOrgId, email })).status).toBe(200)
})

test('somebody who exists signs in by the sign-up code, and stays who they are', async () => {
  const subOrgId = await tenant.organization()
  const { email, userId } = await signedInUser(app, tenant, subOrgId, newEmail())
  await app.advance(61)
  const sent = await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email, openSignup: true })
  const body = { subOrgId, email, otp_id: sent.body.otp_id, code: await mailedCode(app, email) }
  const reply = await tenant.post('/v1/auth/signup/otp/verify', body)
  expect(reply.body.session.directory_user_id).toBe(userId)
})

test('the first proof of a mailbox ends every session that was there before it', async () => {
  const subOrgId = await tenant.organization()
  const { email, userId, session } = await signedInUser(app, tenant, subOrgId, newEmail())
  await tenant.patch(`/v1/users/${userId}`, { subOrgId, email: `new.${email}` })
  await app.advance(61)
  const sent = await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: `new.${email}` })
  const code = await mailedCode(app, `new.${email}`)
  await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: `new.${email}`, otp_id: sent.body.otp_id, code })
  const introspection = await tenant.post('/v1/auth/token/introspect', { token: session.access_token })
  expect(introspection.body).toEqual({ active: false })
})
