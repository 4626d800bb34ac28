import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { runJobs, takeJobs } from '../../../../test/people/jobs.ts'
import { type Mailbox, newEmail, newUser, sessionsIn, usersAt, watchEvents } from '../../../../test/people/people.ts'
import { mailedLink, sendSignupCode } from '../../../../test/people/sign-in.ts'
import { userCleanup } from '../../directory/users/cleanup.ts'
import { provisionSignup } from './pending.ts'

const app = await startApp()
const { platform } = app.app
const tenant = await app.tenant()
const freshEvents = watchEvents(app, tenant.accountId)
const newestEvents = async (count: number) => (await app.events({ accountId: tenant.accountId })).slice(-count)

const SEND = '/v1/auth/signup/otp/send'
const VERIFY = '/v1/auth/signup/otp/verify'
const LINK = '/v1/auth/signup/authenticate-email'

const sendCode = (subOrgId: string, email = newEmail()) => sendSignupCode(app, tenant, { subOrgId, email })

const provision = () => runJobs(platform, provisionSignup)

test('open sign-up soon makes a pending user, whom the code turns into a person with a session', async () => {
  const subOrgId = await tenant.organization()
  const sent = await sendCode(subOrgId)
  await provision()
  const [pending, ...others] = await usersAt(tenant, subOrgId, sent.email)
  expect(others).toEqual([])
  expect(pending).toMatchObject({ status: 'invited', emailVerified: false, source: 'signup', userId: null })
  const reply = await tenant.post(VERIFY, sent)
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.session).toMatchObject({ user_id: expect.any(String), directory_user_id: pending.id })
  expect(await usersAt(tenant, subOrgId, sent.email)).toMatchObject([
    { id: pending.id, status: 'active', emailVerified: true, userId: reply.body.session.user_id },
  ])
  expect(await sessionsIn(tenant, subOrgId)).toMatchObject([{ auth_method: 'signup', amr: ['otp'] }])
  expect((await newestEvents(6)).map(({ type }) => type)).toEqual([
    'auth.otp.sent',
    'user.created',
    'user.email_verified',
    'auth.signup.succeeded',
    'session.created',
    'auth.login.succeeded',
  ])
  expect((await tenant.post(VERIFY, sent)).body.code).toBe('otp_invalid')
})

test('the record of a pending user names the request that asked for it, and for whom', async () => {
  const [subOrgId, email] = [await tenant.organization(), newEmail()]
  const endUser = { 'x-end-user-ip': '203.0.113.7', 'x-end-user-agent': 'Browser/1', 'x-actor-id': '4711' }
  await tenant.post(SEND, { subOrgId, email, openSignup: true }, endUser)
  await provision()
  const [sent, created] = await newestEvents(2)
  const [user] = await usersAt(tenant, subOrgId, email)
  expect(created).toMatchObject({ type: 'user.created', target_id: user.id, actor_type: 'api_key' })
  expect([created?.actor_id, created?.request_id]).toEqual([sent?.actor_id, sent?.request_id])
  const shown = platform.db
    .selectFrom('events')
    .select(['ip_address', 'user_agent', 'on_behalf_of'])
    .where('target_id', '=', user.id)
  expect(await shown.execute()).toEqual([
    { ip_address: '203.0.113.7', user_agent: 'Browser/1', on_behalf_of: { id: '4711', name: null } },
  ])
})

test('what waits to make a pending user does not show the address', async () => {
  const { email, otp_id } = await sendCode(await tenant.organization())
  const [payload, ...others] = await takeJobs(platform, provisionSignup)
  expect([payload?.['otpId'], others]).toEqual([otp_id, []])
  expect(JSON.stringify(payload)).not.toContain(email.split('@')[0])
})

test('a pending user without proof is gone after a day', async () => {
  const { subOrgId, email } = await sendCode(await tenant.organization())
  await provision()
  await app.advance(86_401)
  expect(await usersAt(tenant, subOrgId, email)).toEqual([])
  await userCleanup.handle(platform, {}, 1)
  expect(await newestEvents(1)).toMatchObject([{ type: 'user.deleted' }])
})

test.each([
  ['a job has made the next', provision],
  ['no job has run since', async () => {}],
])('whoever takes the place of a sign-up of the day before signs in by their code, where %s', async (_what, happen) => {
  const { subOrgId, email } = await sendCode(await tenant.organization())
  await provision()
  await app.advance(86_401)
  const sent = await sendCode(subOrgId, email)
  await happen()
  const reply = await tenant.post(VERIFY, sent)
  expect(reply.status, reply.text).toBe(200)
  expect(await usersAt(tenant, subOrgId, email)).toMatchObject([
    { id: reply.body.session.directory_user_id, status: 'active', emailVerified: true },
  ])
})

test('and by their link', async () => {
  const { subOrgId, email } = await sendCode(await tenant.organization())
  await provision()
  await app.advance(86_401)
  await tenant.post(`${LINK}/send`, { subOrgId, email, openSignup: true })
  const { token_hash } = await mailedLink(app, email, 'signup_link')
  const reply = await tenant.post(`${LINK}/verify`, { subOrgId, email, token_hash })
  expect(reply.status, reply.text).toBe(200)
})

test.each<[string, (person: Mailbox) => Promise<{ status: number }>]>([
  ['one', (person) => tenant.post('/v1/users', person)],
  ['many', ({ subOrgId, email }) => tenant.put('/v1/users', { subOrgId, users: [{ email }] })],
])('whoever is added in the place of a sign-up, as one of %s, finds the code in their mailbox good', async (_, add) => {
  const { subOrgId, email } = await sendCode(await tenant.organization())
  await provision()
  await app.advance(61)
  const sent = await sendCode(subOrgId, email)
  expect((await add({ subOrgId, email })).status).toBeLessThan(300)
  const [user] = await usersAt(tenant, subOrgId, email)
  expect(user).toMatchObject({ status: 'active', emailVerified: false })
  const reply = await tenant.post(VERIFY, sent)
  expect([reply.status, reply.body.session?.directory_user_id]).toEqual([200, user.id])
})

test.each<[string, (sent: Awaited<ReturnType<typeof sendCode>>) => Promise<unknown>]>([
  ['the code was redeemed', (sent) => tenant.post(VERIFY, sent)],
  ['the code expired', () => app.advance(601)],
  ['sign-up was closed', ({ subOrgId }) => tenant.patch('/v1/auth/settings', { subOrgId, allow_sign_up: false })],
  ['somebody came to the address', ({ subOrgId, email }) => newUser(tenant, { subOrgId, email })],
  [
    'another code made one',
    async ({ subOrgId, email }) => {
      await app.advance(61)
      await sendCode(subOrgId, email)
      await provision()
    },
  ],
])('nobody is made when meanwhile %s', async (_what, happen) => {
  const subOrgId = await tenant.organization()
  const sent = await sendCode(subOrgId)
  const waiting = await takeJobs(platform, provisionSignup)
  await happen(sent)
  const before = await usersAt(tenant, subOrgId, sent.email)
  await freshEvents()
  for (const payload of waiting) await provisionSignup.handle(platform, payload, 1)
  expect(await usersAt(tenant, subOrgId, sent.email)).toEqual(before)
  expect(await freshEvents()).toEqual([])
})

test('the job may run twice', async () => {
  const { subOrgId, email } = await sendCode(await tenant.organization())
  const [payload = {}] = await takeJobs(platform, provisionSignup)
  await freshEvents()
  for (let n = 0; n < 2; n++) await provisionSignup.handle(platform, payload, 1)
  expect(await usersAt(tenant, subOrgId, email)).toHaveLength(1)
  expect((await freshEvents()).map(({ type }) => type)).toEqual(['user.created'])
})

test('no job is left where sign-up is closed, and for whoever exists one that makes nobody', async () => {
  const { subOrgId, email } = await newUser(tenant)
  await tenant.post(SEND, { subOrgId, email: newEmail() })
  expect(await takeJobs(platform, provisionSignup)).toEqual([])
  await sendCode(subOrgId, email)
  const waiting = await takeJobs(platform, provisionSignup)
  expect(waiting).toHaveLength(1)
  await freshEvents()
  for (const payload of waiting) await provisionSignup.handle(platform, payload, 1)
  expect(await freshEvents()).toEqual([])
})
