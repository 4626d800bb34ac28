import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail, sessionsIn, usersAt } from '../../../../test/people/people.ts'
import { mailedCode, sendSignupCode, signedInUser } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()

const SEND = '/v1/auth/signup/otp/send'
const VERIFY = '/v1/auth/signup/otp/verify'

const sendCode = (subOrgId: string, email = newEmail()) => sendSignupCode(app, tenant, { subOrgId, email })

test('a code that is redeemed before anybody was provisioned makes a person with a session', async () => {
  const subOrgId = await tenant.organization()
  const seen = (await app.events({ accountId: tenant.accountId })).length
  const sent = await sendCode(subOrgId)
  expect(await usersAt(tenant, subOrgId, sent.email)).toEqual([])
  const reply = await tenant.post(VERIFY, sent)
  expect(reply.status, reply.text).toBe(200)
  const [user, ...others] = await usersAt(tenant, subOrgId, sent.email)
  expect(others).toEqual([])
  expect(user).toMatchObject({ status: 'active', emailVerified: true, source: 'signup', userId: expect.any(String) })
  expect(reply.body.session).toMatchObject({ user_id: user.userId, directory_user_id: user.id })
  expect(await sessionsIn(tenant, subOrgId)).toMatchObject([{ auth_method: 'signup', amr: ['otp'] }])
  const types = (await app.events({ accountId: tenant.accountId })).slice(seen).map((event) => event.type)
  expect(types).toEqual([
    'auth.otp.sent',
    'user.created',
    'auth.signup.succeeded',
    'session.created',
    'auth.login.succeeded',
  ])
  expect((await tenant.post(VERIFY, sent)).body.code).toBe('otp_invalid')
})

test('a code sent to nobody signs nobody up where sign-up is closed, whatever is typed', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { body } = await tenant.post(SEND, { subOrgId, email })
  const { db } = app.app.platform
  const [open, closed] = [await sendCode(subOrgId), { subOrgId, email, otp_id: body.otp_id }]
  // The hash of a code is bound to its row and the decoy's code is unknown, so the test turns a real sign-up code into
  // a decoy.
  await db.updateTable('otps').set({ signs_up: false }).where('id', '=', open.otp_id).execute()
  for (const tried of [open, { ...closed, code: open.code }])
    expect((await tenant.post(VERIFY, tried)).body.code).toBe('otp_invalid')
  expect(await usersAt(tenant, subOrgId, open.email)).toEqual([])
})

test('whoever has come to the address meanwhile signs in by the code, as the owner of the mailbox', async () => {
  const subOrgId = await tenant.organization()
  const sent = await sendCode(subOrgId)
  const password = 'the stranger knows this one'
  await tenant.post('/v1/auth/signup/password', { subOrgId, email: sent.email, password, openSignup: true })
  const [user] = await usersAt(tenant, subOrgId, sent.email)
  const reply = await tenant.post(VERIFY, sent)
  expect(reply.body.session.directory_user_id).toBe(user.id)
  const login = await tenant.post('/v1/auth/login/password', { subOrgId, email: sent.email, password })
  expect(login.body.code).toBe('invalid_credentials')
})

test('a sign-up code is bound to one address and one organization, expires like every code, and is voided by a newer one', async () => {
  const [subOrgId, elsewhere] = [await tenant.organization(), await tenant.organization()]
  const older = await sendCode(subOrgId)
  await app.advance(61)
  const newer = await sendCode(subOrgId, older.email)
  for (const tried of [older, { ...newer, email: newEmail() }, { ...newer, subOrgId: elsewhere }])
    expect((await tenant.post(VERIFY, tried)).body.code).toBe('otp_invalid')
  await app.advance(601)
  expect((await tenant.post(VERIFY, newer)).body.code).toBe('otp_expired')
  expect(await usersAt(tenant, subOrgId, newer.email)).toEqual([])
})

test('what closes the door meanwhile leaves nobody behind: allow_sign_up, and an organization that is suspended', async () => {
  const subOrgId = await tenant.organization()
  const sent = await sendCode(subOrgId)
  await tenant.patch('/v1/auth/settings', { subOrgId, allow_sign_up: false })
  expect((await tenant.post(VERIFY, sent)).body.code).toBe('signup_disabled')
  await tenant.patch('/v1/auth/settings', { subOrgId, allow_sign_up: null })
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })
  expect((await tenant.post(VERIFY, sent)).body.code).toBe('organization_suspended')
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' })
  expect(await usersAt(tenant, subOrgId, sent.email)).toEqual([])
  expect((await tenant.post(VERIFY, sent)).status).toBe(200)
})

test('a policy that requires a second factor holds whoever signs up by code', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/mfa/policy', { subOrgId, require_mfa: true, grace_period_days: 0 })
  const { body } = await tenant.post(VERIFY, await sendCode(subOrgId))
  expect(body).toMatchObject({ session: null, mfa_required: true, enrollment_required: true })
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
})

test('one sign-up code in many requests at once, through two services, makes one user and one session', async () => {
  const callers = [tenant, second.as(tenant.key)]
  for (let round = 0; round < 3; round++) {
    const subOrgId = await tenant.organization()
    const sent = await sendCode(subOrgId)
    // As many attempts as one code allows.
    const replies = await Promise.all(Array.from({ length: 5 }, (_, i) => callers[i % 2]?.post(VERIFY, sent)))
    expect(replies.filter((reply) => reply?.status === 200)).toHaveLength(1)
    expect(await usersAt(tenant, subOrgId, sent.email)).toHaveLength(1)
    expect(await sessionsIn(tenant, subOrgId)).toHaveLength(1)
  }
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
  const { otp_id } = (await tenant.post(SEND, { subOrgId, email })).body
  const body = { subOrgId, email, otp_id, code: await mailedCode(app, email) }
  expect((await tenant.post(VERIFY, body)).status).toBe(200)
  await tenant.patch('/v1/auth/settings', { subOrgId, allow_sign_up: false })
  const reply = await tenant.post(SEND, { subOrgId, email: newEmail(), openSignup: true })
  expect([reply.status, reply.body.code]).toEqual([403, 'signup_disabled'])
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
