import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { newEmail, newPendingUser, sessionsIn, usersAt } from '../../../../test/people/people.ts'
import { mailedLink, signedInUser } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const SEND = '/v1/auth/signup/authenticate-email/send'
const VERIFY = '/v1/auth/signup/authenticate-email/verify'

async function sendLink(subOrgId: string, email: string, more: object = { openSignup: true }) {
  const sent = await tenant.post(SEND, { subOrgId, email, ...more })
  expect(sent.status, sent.text).toBe(200)
  return { ...(await mailedLink(app, email, 'signup_link')), sent }
}

const verify = (subOrgId: string, email: string, token_hash: string) =>
  tenant.post(VERIFY, { subOrgId, email, token_hash })

test('the link makes the user, with what they said of themselves, and nothing is made before', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const names = { firstName: 'Ada', lastName: 'Lovelace', phone: '+14155550123' }
  const seen = (await app.events({ accountId: tenant.accountId })).length
  const { token_hash, type, sent } = await sendLink(subOrgId, email, { openSignup: true, ...names })
  expect(sent.body).toEqual({ delivery_hint: `${email[0]}•••@example.com`, expires_at: expect.any(String) })
  expect(type).toBe('signup')
  expect(await usersAt(tenant, subOrgId, email)).toEqual([])
  const reply = await verify(subOrgId, email, token_hash)
  expect(reply.status, reply.text).toBe(200)
  const [user] = await usersAt(tenant, subOrgId, email)
  expect(user).toMatchObject({ ...names, status: 'active', emailVerified: true, source: 'signup' })
  expect(reply.body.session).toMatchObject({ directory_user_id: user.id, user_id: user.userId })
  expect(await sessionsIn(tenant, subOrgId)).toMatchObject([{ auth_method: 'signup', amr: ['otp'] }])
  const again = await verify(subOrgId, email, token_hash)
  expect([again.status, again.body.code]).toEqual([400, 'token_invalid'])
  const types = (await app.events({ accountId: tenant.accountId })).slice(seen).map((event) => event.type)
  expect(types).toEqual([
    'auth.signup_link.sent',
    'user.created',
    'auth.signup.succeeded',
    'session.created',
    'auth.login.succeeded',
    'auth.login.failed',
  ])
})

test('whoever exists gets a link that signs them in, and stays who they are', async () => {
  const subOrgId = await tenant.organization()
  const member = await signedInUser(app, tenant, subOrgId, newEmail())
  const waiting = newEmail()
  await newPendingUser(app.app.platform.db, tenant, { subOrgId, email: waiting })
  for (const [email, method, more] of [
    [member.email, 'magic_link', { openSignup: true, firstName: 'Eve' }],
    [waiting, 'signup', {}],
  ] as const) {
    const { token_hash } = await sendLink(subOrgId, email, more)
    const reply = await verify(subOrgId, email, token_hash)
    expect(reply.status, reply.text).toBe(200)
    const [user, ...others] = await usersAt(tenant, subOrgId, email)
    expect(others).toEqual([])
    expect(user).toMatchObject({ id: reply.body.session.directory_user_id, firstName: null, emailVerified: true })
    const found = await tenant.get(`/v1/sessions?subOrgId=${subOrgId}&userId=${user.id}`)
    const methods = found.body.users[0].sessions.map((session: { auth_method: string }) => session.auth_method)
    expect(methods.filter((each: string) => each === method)).toHaveLength(1)
  }
})

test('a request that sends nothing, since it does not open sign-up, voids no link that was sent', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { token_hash } = await sendLink(subOrgId, email)
  const mails = (await app.mails(email)).length
  for (let n = 0; n < 2; n++) expect((await tenant.post(SEND, { subOrgId, email })).status).toBe(200)
  expect(await app.mails(email)).toHaveLength(mails)
  const live = await app.app.platform.db
    .selectFrom('links')
    .innerJoin('directories', 'directories.id', 'links.directory_id')
    .select('links.id')
    .where('organization_id', '=', subOrgId)
    .where('closed_at', 'is', null)
    .execute()
  // There is only one decoy too.
  expect(live).toHaveLength(2)
  const reply = await verify(subOrgId, email, token_hash)
  expect(reply.status, reply.text).toBe(200)
})

test('known, unknown and inactive addresses are answered alike; without open sign-up only the known one gets a mail', async () => {
  const subOrgId = await tenant.organization()
  const [known, inactive, unknown] = ['a@example.com', 'b@example.com', 'c@example.com']
  await tenant.post('/v1/users', { subOrgId, email: known })
  const made = await tenant.post('/v1/users', { subOrgId, email: inactive })
  await tenant.patch(`/v1/users/${made.body.user.id}`, { subOrgId, active: false })
  const issuer = await tenant.withKey({ scopes: ['auth.signup', 'links.issue'] })
  for (const deliver of [true, false]) {
    const replies = []
    for (const email of [known, inactive, unknown])
      replies.push(await issuer.post(SEND, { subOrgId, email, deliver, openSignup: false }))
    const shapes = replies.map((reply) => ({
      status: reply.status,
      keys: Object.keys(reply.body),
      headers: [...reply.headers.keys()].filter((name) => name !== 'date'),
      length: reply.text.length,
    }))
    expect(shapes).toEqual([shapes[0], shapes[0], shapes[0]])
    const ends = replies.map((reply) => Date.parse(reply.body.expires_at))
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(60_000)
    if (deliver) continue
    const token_hash = new URL(replies[2]?.body.url).searchParams.get('token_hash') ?? ''
    expect((await verify(subOrgId, unknown, token_hash)).body.code).toBe('token_invalid')
  }
  expect(await usersAt(tenant, subOrgId, unknown)).toEqual([])
  expect((await app.mails()).filter((mail) => [inactive, unknown].includes(mail.to))).toEqual([])
})

test('a link lives as the settings say: a sign-up for a day, a sign-in no longer than any', async () => {
  const subOrgId = await tenant.organization()
  const member = await signedInUser(app, tenant, subOrgId, newEmail())
  const newcomer = newEmail()
  const signIn = await sendLink(subOrgId, member.email)
  const [soon, late] = [await sendLink(subOrgId, newcomer), newEmail()]
  const expiring = await sendLink(subOrgId, late)
  expect(signIn.sent.body.expires_at.slice(0, 16)).toBe(soon.sent.body.expires_at.slice(0, 16))
  await app.advance(601)
  expect((await verify(subOrgId, member.email, signIn.token_hash)).body.code).toBe('token_expired')
  expect((await verify(subOrgId, newcomer, soon.token_hash)).status).toBe(200)
  await app.advance(86_400)
  expect((await verify(subOrgId, late, expiring.token_hash)).body.code).toBe('token_expired')
  expect(await usersAt(tenant, subOrgId, late)).toEqual([])
})

test('allow_sign_up is asked at both ends, and a user who came meanwhile signs in', async () => {
  const subOrgId = await tenant.organization()
  const [first, other] = [newEmail(), newEmail()]
  const [link, otherLink] = [await sendLink(subOrgId, first), await sendLink(subOrgId, other)]
  const made = await tenant.post('/v1/users', { subOrgId, email: first })
  await tenant.patch('/v1/auth/settings', { subOrgId, allow_sign_up: false })
  const closed = await tenant.post(SEND, { subOrgId, email: newEmail(), openSignup: true })
  expect([closed.status, closed.body.code]).toEqual([403, 'signup_disabled'])
  const refused = await verify(subOrgId, other, otherLink.token_hash)
  expect([refused.status, refused.body.code]).toEqual([403, 'signup_disabled'])
  expect(await usersAt(tenant, subOrgId, other)).toEqual([])
  const reply = await verify(subOrgId, first, link.token_hash)
  expect(reply.body.session.directory_user_id).toBe(made.body.user.id)
})

test('a link is of one address and one organization, and a newer one voids it', async () => {
  const [subOrgId, elsewhere] = [await tenant.organization(), await tenant.organization()]
  const email = newEmail()
  const older = await sendLink(subOrgId, email)
  const newer = await sendLink(subOrgId, email)
  for (const reply of [
    await verify(subOrgId, email, older.token_hash),
    await verify(subOrgId, newEmail(), newer.token_hash),
    await verify(elsewhere, email, newer.token_hash),
  ])
    expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
  expect(await sessionsIn(tenant, subOrgId)).toEqual([])
  expect((await verify(subOrgId, email, newer.token_hash)).status).toBe(200)
})

test('an organization that is suspended meanwhile makes no user', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { token_hash } = await sendLink(subOrgId, email)
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })
  expect((await verify(subOrgId, email, token_hash)).body.code).toBe('organization_suspended')
  expect(await usersAt(tenant, subOrgId, email)).toEqual([])
})

test('sends are limited per address', async () => {
  const subOrgId = await tenant.organization()
  const statuses = []
  for (const email of ['d@example.com', 'D@example.com', 'd@EXAMPLE.com', 'd@example.com'])
    statuses.push((await tenant.post(SEND, { subOrgId, email })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('one link in many requests at once, through two services, makes one user and one session', async () => {
  const callers = [tenant, second.as(tenant.key)]
  for (let round = 0; round < 3; round++) {
    const subOrgId = await tenant.organization()
    const email = newEmail()
    const { token_hash } = await sendLink(subOrgId, email)
    const body = { subOrgId, email, token_hash }
    const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => callers[i % 2]?.post(VERIFY, body)))
    const codes = replies.map((reply) => reply?.body.code ?? 'session').sort()
    expect(codes).toEqual(['session', ...Array(29).fill('token_invalid')].sort())
    expect(await usersAt(tenant, subOrgId, email)).toHaveLength(1)
    expect(await sessionsIn(tenant, subOrgId)).toHaveLength(1)
  }
})

test('for a user who exists it lives as long as a sign-in link, up to an hour', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, magic_link_ttl_seconds: 3600 })
  const [inTime, late] = [newEmail(), newEmail()]
  for (const email of [inTime, late]) await signedInUser(app, tenant, subOrgId, email)
  const [used, over] = [await sendLink(subOrgId, inTime), await sendLink(subOrgId, late)]
  await app.advance(3590)
  expect((await verify(subOrgId, inTime, used.token_hash)).status).toBe(200)
  await app.advance(20)
  expect((await verify(subOrgId, late, over.token_hash)).body.code).toBe('token_expired')
})
