import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { newPendingUser } from '../../../../test/people/people.ts'
import { mailedLink, signedInUser } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { snapshot } from '../../../../test/snapshot.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
const VERIFY = '/v1/auth/email/verify'
const password = 'correct horse battery staple'

const newEmail = () => `${randomUUID()}@example.com`

async function newUser(email = newEmail()) {
  const subOrgId = await tenant.organization()
  const made = await tenant.post('/v1/users', { subOrgId, email })
  return { subOrgId, email, id: String(made.body.user.id) }
}

/** A user who signed up with a password and has not followed the mailed link yet. */
async function newcomer() {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const signup = await tenant.post('/v1/auth/signup/password', { subOrgId, email, password, openSignup: true })
  expect(signup.status, signup.text).toBe(200)
  const { token_hash } = await mailedLink(app, email, 'email_verification')
  return { subOrgId, email, token_hash, session: signup.body.session, id: signup.body.session.directory_user_id }
}

type User = Awaited<ReturnType<typeof newUser>>
type Person = Pick<User, 'subOrgId' | 'email'>

const resend = (user: { subOrgId: string; id: string }, more: object = {}) =>
  tenant.post(`/v1/users/${user.id}/verify/resend`, { subOrgId: user.subOrgId, ...more })
const verify = ({ subOrgId, email }: Person, token_hash: string, more: object = {}) =>
  tenant.post(VERIFY, { subOrgId, email, token_hash, ...more })
const login = ({ subOrgId, email }: Person) => tenant.post('/v1/auth/login/password', { subOrgId, email, password })
const userOf = async (id: string) => (await tenant.get(`/v1/users/${id}`)).body.user
const linkTo = async (email: string) => (await mailedLink(app, email, 'email_verification')).token_hash
const eventsSince = async (seen: number) =>
  (await app.events({ accountId: tenant.accountId })).slice(seen).map((event) => event.type)
const countEvents = async () => (await app.events({ accountId: tenant.accountId })).length

test('a mailed link verifies the address and opens no session', async () => {
  const user = await newUser()
  const seen = await countEvents()
  const sent = await resend(user)
  expect(sent.headers.get('x-ratelimit-limit')).toBe('3')
  expect(sent.body).toEqual({ success: true, delivery_hint: `${user.email[0]}•••@example.com` })
  const before = await userOf(user.id)
  expect(before).toMatchObject({ emailVerified: false, userId: expect.any(String) })
  const { token_hash, type } = await mailedLink(app, user.email, 'email_verification')
  expect(type).toBe('verification')
  const reply = await verify({ ...user, email: user.email.toUpperCase() }, token_hash)
  expect(reply.body).toEqual({ success: true, user_id: before.userId, directory_user_id: user.id })
  expect(await userOf(user.id)).toMatchObject({ emailVerified: true, status: 'active' })
  expect((await tenant.get(`/v1/sessions?subOrgId=${user.subOrgId}`)).body.users).toEqual([])
  const again = await verify(user, token_hash)
  expect([again.status, again.body.code]).toEqual([400, 'token_invalid'])
  expect(await eventsSince(seen)).toEqual(['auth.email_verification.sent', 'user.email_verified', 'auth.login.failed'])
})

test('whoever is verified is sent nothing; whoever is inactive or unknown is refused', async () => {
  const subOrgId = await tenant.organization()
  const { userId, email } = await signedInUser(app, tenant, subOrgId, newEmail())
  const inactive = await newUser()
  await tenant.patch(`/v1/users/${inactive.id}`, { subOrgId: inactive.subOrgId, active: false })
  const before = await snapshot(app)
  expect((await resend({ subOrgId, id: userId })).body).toEqual({ success: true, already_verified: true })
  const refused = await resend(inactive)
  expect([refused.status, refused.body.code]).toEqual([403, 'user_inactive'])
  expect((await resend({ subOrgId, id: randomUUID() })).body.code).toBe('user_not_found')
  expect(await snapshot(app)).toEqual(before)
  expect((await app.mails(email)).map((mail) => mail.kind)).toEqual(['login_otp'])
})

test('a sign-up that waits can be verified, and gets its account only then', async () => {
  const { subOrgId, email, id } = await newPendingUser(app.app.platform.db, tenant)
  await resend({ subOrgId, id })
  expect(await userOf(id)).toMatchObject({ userId: null, status: 'invited' })
  const reply = await verify({ subOrgId, email }, await linkTo(email))
  expect(await userOf(id)).toMatchObject({ userId: reply.body.user_id, status: 'active', emailVerified: true })
})

test('the first proof ends what was set before it', async () => {
  const user = await newcomer()
  const { refresh_token } = user.session
  await tenant.post('/v1/auth/login/magic-link/send', { subOrgId: user.subOrgId, email: user.email })
  const planted = await mailedLink(app, user.email, 'magic_link')
  expect((await verify(user, user.token_hash)).status).toBe(200)
  expect((await login(user)).status).toBe(401)
  expect((await tenant.post('/v1/auth/token/refresh', { subOrgId: user.subOrgId, refresh_token })).status).toBe(401)
  const { subOrgId, email } = user
  const late = await tenant.post('/v1/auth/login/magic-link/verify', {
    subOrgId,
    email,
    token_hash: planted.token_hash,
  })
  expect(late.body.code).toBe('token_invalid')
})

test('the password of the sign-up, sent with the proof, stays', async () => {
  const user = await newcomer()
  await tenant.patch('/v1/auth/settings', { subOrgId: user.subOrgId, require_email_verification: true })
  expect((await login(user)).body.code).toBe('verification_required')
  expect((await verify(user, user.token_hash, { password })).status).toBe(200)
  expect((await login(user)).body.session.directory_user_id).toBe(user.id)
})

test('a wrong password is refused, counts, and leaves the link as it was', async () => {
  const user = await newcomer()
  const noPassword = await newUser()
  await resend(noPassword)
  const guess = await verify(noPassword, await linkTo(noPassword.email), { password })
  expect([guess.status, guess.body.code]).toEqual([401, 'invalid_credentials'])
  await tenant.patch('/v1/auth/settings', { subOrgId: user.subOrgId, lockout_max_attempts: 3 })
  const seen = await countEvents()
  const codes = []
  for (let i = 0; i < 4; i++) codes.push((await verify(user, user.token_hash, { password: `wrong ${i}` })).body.code)
  expect(codes).toEqual([...Array(3).fill('invalid_credentials'), 'account_locked'])
  expect(await eventsSince(seen)).toEqual([...Array(3).fill('auth.login.failed'), 'user.locked'])
  expect((await login(user)).body.code).toBe('account_locked')
  expect(await userOf(user.id)).toMatchObject({ emailVerified: false })
  await app.advance(901)
  expect((await verify(user, user.token_hash, { password })).status).toBe(200)
  // The verification has reset the count of earlier failures.
  for (let i = 0; i < 2; i++) await tenant.post('/v1/auth/login/password', { ...user, password: 'x' })
  expect((await login(user)).status).toBe(200)
})

test('a link is of one address and one organization, expires by itself, and a newer one voids it', async () => {
  const user = await newUser()
  const other = await newUser()
  await resend(user)
  const older = await linkTo(user.email)
  await resend(user)
  const newer = await linkTo(user.email)
  for (const reply of [
    await verify(user, older),
    await verify({ ...user, email: other.email }, newer),
    await verify({ ...user, subOrgId: other.subOrgId }, newer),
  ])
    expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
  const path = `${VERIFY}?token_hash=${newer}&email=${user.email}&subOrgId=${user.subOrgId}`
  expect((await fetch(app.baseUrl + path)).status).toBe(405)
  await app.advance(86_401)
  expect((await verify(user, newer)).body.code).toBe('token_expired')
  expect(await userOf(user.id)).toMatchObject({ emailVerified: false })
})

test('a link does not outlive its user’s address, activity or place', async () => {
  const elsewhere = await tenant.organization()
  const change = ({ id, subOrgId }: User, body: object) => tenant.patch(`/v1/users/${id}`, { subOrgId, ...body })
  const move = (id: string, subOrgId: string, targetSubOrgId: string) =>
    tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId })
  const ways = [
    async (user: User) => [await change(user, { active: false }), await change(user, { active: true })],
    async (user: User) => [await change(user, { email: `x-${user.email}` }), await change(user, { email: user.email })],
    async ({ id, subOrgId }: User) => [await move(id, subOrgId, elsewhere), await move(id, elsewhere, subOrgId)],
  ]
  for (const thereAndBack of ways) {
    const user = await newUser()
    const { id } = user
    await resend(user)
    const token_hash = await linkTo(user.email)
    for (const reply of await thereAndBack(user)) expect(reply.status, reply.text).toBe(200)
    expect((await verify(user, token_hash)).body.code).toBe('token_invalid')
    expect(await userOf(id)).toMatchObject({ emailVerified: false, email: user.email, active: true })
  }
})

test('a suspended organization neither sends nor verifies', async () => {
  const user = await newUser()
  await resend(user)
  const token_hash = await linkTo(user.email)
  await tenant.patch(`/v1/organizations/${user.subOrgId}`, { status: 'suspended' })
  for (const reply of [await resend(user), await verify(user, token_hash)])
    expect([reply.status, reply.body.code]).toEqual([403, 'organization_suspended'])
})

test('sends are limited per address', async () => {
  const user = await newUser()
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await resend(user)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  expect(await app.mails(user.email)).toHaveLength(3)
})

test('one link in many requests at once, through two services, is redeemed once', async () => {
  const callers = [tenant, second.as(tenant.key)]
  const user = await newUser()
  await resend(user)
  const body = { subOrgId: user.subOrgId, email: user.email, token_hash: await linkTo(user.email) }
  const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => callers[i % 2]?.post(VERIFY, body)))
  expect(replies.filter((reply) => reply?.status === 200)).toHaveLength(1)
  const verified = await app.events({ accountId: tenant.accountId, type: 'user.email_verified' })
  expect(verified.filter((event) => event.target_id === user.id)).toHaveLength(1)
})

test('an address that changes while its link is redeemed is not verified', async () => {
  const { platform } = app.app
  const user = await newUser()
  await resend(user)
  const token_hash = await linkTo(user.email)
  const [changed, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const email = `new-${user.email}`
  const change = platform.tx(async (tx) => {
    await tx.updateTable('users').set({ email, email_norm: email }).where('id', '=', user.id).execute()
    changed.resolve()
    await go.promise
  })
  await changed.promise
  const verifying = verify(user, token_hash)
  await until(async () => {
    const { rows } = await platform.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rows.length > 0
  }).finally(() => go.resolve())
  await change
  const reply = await verifying
  expect([reply.status, reply.body.code]).toEqual([400, 'token_invalid'])
  expect(await userOf(user.id)).toMatchObject({ email, emailVerified: false })
})
