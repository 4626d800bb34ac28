import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { type Mailbox, newEmail, newPasswordUser, type Person } from '../../../../test/people/people.ts'
import { mailedCode, mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { withPasswordPlace } from '../../../platform/crypto/password-pool.ts'

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'
const DURATION = 900

const newUser = () => newPasswordUser(tenant, { password: PASSWORD })

const login = ({ subOrgId, email }: Mailbox, password: string, ip?: string) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password }, ip ? { 'x-end-user-ip': ip } : {})

async function fail(user: Mailbox, times: number, ip?: string) {
  const codes = []
  for (let i = 0; i < times; i++) codes.push((await login(user, `wrong ${i}`, ip)).body.code)
  return codes
}

const statusOf = async (user: Person) => (await tenant.get(`/v1/users/${user.id}`)).body.user.status
const typesOf = async (user: Person) =>
  (await app.events({ accountId: tenant.accountId }))
    .filter((each) => each.target_id === user.id)
    .map((each) => each.type)

const shutEveryDoor = ({ subOrgId }: Mailbox) => tenant.patch('/v1/auth/settings', { subOrgId, lockout_scope: 'all' })

test('ten wrong passwords lock an address for its password alone, whether or not anybody has it', async () => {
  const user = await newUser()
  const { subOrgId, email } = user
  const session = await signIn(app, tenant, subOrgId, email)
  const unknown = { subOrgId, email: newEmail() }
  for (const each of [user, unknown]) {
    expect(await fail(each, 11)).toEqual([...Array(10).fill('invalid_credentials'), 'account_locked'])
    expect((await login(each, PASSWORD)).body.code).toBe('account_locked')
    for (const way of ['login/otp', 'login/magic-link', 'password/reset', 'signup/otp'])
      expect((await tenant.post(`/v1/auth/${way}/send`, { subOrgId, email: each.email })).status, way).toBe(200)
  }
  expect(await statusOf(user)).toBe('locked')
  const refresh = { subOrgId, refresh_token: session.refresh_token }
  expect((await tenant.post('/v1/auth/token/refresh', refresh)).status).toBe(200)
  await app.advance(61)
  await signIn(app, tenant, subOrgId, email)
  // A person with the mailbox can sign in, and the password stays locked.
  expect((await login(user, PASSWORD)).body.code).toBe('account_locked')
})

test('a lock is told by mail, however much a stranger has had sent to the address before, and whatever the ceilings', async () => {
  const user = await newUser()
  const { subOrgId, email } = user
  const ways = ['login/otp', 'login/magic-link', 'password/reset', 'signup/otp', 'signup/authenticate-email']
  let refused = 0
  for (let minute = 0; minute < 8 && !refused; minute++) {
    for (const way of ways)
      for (let n = 0; n < 3; n++) {
        const reply = await tenant.post(`/v1/auth/${way}/send`, { subOrgId, email })
        if (reply.headers.get('x-ratelimit-limit') === '30' && reply.status === 429) refused++
      }
    await app.advance(61)
  }
  expect(refused).toBeGreaterThan(0)
  await tenant.patch('/v1/otp/settings', { subOrgId, send_limit_per_hour_organization: 1 })
  await fail(user, 10)
  const { token_hash } = await mailedLink(app, email, 'account_locked')
  expect((await tenant.post('/v1/auth/unlock', { subOrgId, email, token_hash })).status).toBe(200)
  expect((await login(user, PASSWORD)).status).toBe(200)
})

test('locks of single networks are told five times an hour; later ones leave the link that was mailed good', async () => {
  const user = await newUser()
  const { subOrgId, email } = user
  await tenant.patch('/v1/auth/settings', { subOrgId, lockout_max_attempts: 3, lockout_window_seconds: 60 })
  const notices = async () => (await app.mails(email)).filter((mail) => mail.kind === 'account_locked').length
  for (let network = 1; network <= 7; network++) {
    await fail(user, 3, `198.51.100.${network}`)
    if (network % 4 === 0) await app.advance(61)
  }
  expect(await notices()).toBe(5)
  const { token_hash } = await mailedLink(app, email, 'account_locked')
  expect((await tenant.post('/v1/auth/unlock', { subOrgId, email, token_hash })).status).toBe(200)
  for (let network = 11; network <= 15; network++) await fail(user, 3, `198.51.100.${network}`)
  expect(await statusOf(user)).toBe('locked')
  expect(await notices()).toBe(6)
})

test('a password that was reset by mail ends the lock of the one before', async () => {
  const user = await newUser()
  const { subOrgId, email } = user
  await fail(user, 10)
  await tenant.post('/v1/auth/password/reset/send', { subOrgId, email })
  const { token_hash } = await mailedLink(app, email, 'password_reset')
  const password = 'a different sentence'
  const reply = await tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash, password })
  expect([reply.status, await statusOf(user)]).toEqual([200, 'active'])
  expect((await typesOf(user)).filter((type) => /locked$/.test(type))).toEqual(['user.locked', 'user.unlocked'])
  expect((await login(user, password)).status).toBe(200)
})

test('with lockout_scope all a lock shuts every door, for longer each time, whether or not anybody has the address', async () => {
  const user = await newUser()
  await shutEveryDoor(user)
  const unknown = { subOrgId: user.subOrgId, email: newEmail() }
  const session = await signIn(app, tenant, user.subOrgId, user.email)
  // The first proof of the mailbox removed the password.
  await tenant.put(`/v1/users/${user.id}/password`, {
    subOrgId: user.subOrgId,
    password: PASSWORD,
    revokeSessions: false,
  })
  for (const each of [user, unknown])
    expect(await fail(each, 11)).toEqual([...Array(10).fill('invalid_credentials'), 'account_locked'])
  for (const each of [user, unknown]) {
    const { subOrgId, email } = each
    const refused = [
      await login(each, PASSWORD),
      await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }),
      await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email }),
      await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }),
    ]
    for (const reply of refused) {
      expect([reply.status, reply.body.code]).toEqual([429, 'account_locked'])
      expect(reply.body.retry_after).toBeGreaterThan(DURATION - 60)
      expect(Number(reply.headers.get('retry-after'))).toBe(reply.body.retry_after)
    }
  }
  const refresh = { subOrgId: user.subOrgId, refresh_token: session.refresh_token }
  expect((await tenant.post('/v1/auth/token/refresh', refresh)).body.code).toBe('account_locked')
  expect(await statusOf(user)).toBe('locked')
  expect((await typesOf(user)).filter((type) => type === 'user.locked')).toHaveLength(1)
  expect((await app.mails(unknown.email)).length).toBe(0)
  await app.advance(DURATION + 1)
  expect(await statusOf(user)).toBe('active')
  expect((await tenant.post('/v1/auth/token/refresh', refresh)).status).toBe(200)
  // The second lock lasts twice as long.
  await fail(user, 10)
  await app.advance(DURATION + 1)
  expect((await login(user, PASSWORD)).body.code).toBe('account_locked')
  await app.advance(DURATION + 1)
  expect((await login(user, PASSWORD)).status).toBe(200)
  // A success resets the counters.
  await fail(user, 10)
  await app.advance(DURATION + 1)
  expect((await login(user, PASSWORD)).status).toBe(200)
})

test('a code and a link on their way open nothing while a lock shuts every door', async () => {
  const user = await newUser()
  await shutEveryDoor(user)
  const { subOrgId, email } = user
  const { otp_id } = (await tenant.post('/v1/auth/login/otp/send', { subOrgId, email })).body
  const code = await mailedCode(app, email)
  await tenant.post('/v1/auth/password/reset/send', { subOrgId, email })
  const { token_hash } = await mailedLink(app, email, 'password_reset')
  await fail(user, 10)
  const replies = [
    await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code }),
    await tenant.post('/v1/auth/password/reset/confirm', {
      subOrgId,
      email,
      token_hash,
      password: 'a different sentence',
    }),
  ]
  for (const reply of replies) expect([reply.status, reply.body.code]).toEqual([429, 'account_locked'])
  expect((await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).body.users).toEqual([])
})

test('the right password as the last attempt allowed gets in, and wrong ones forgotten in time do not add up', async () => {
  const user = await newUser()
  await fail(user, 9)
  expect((await login(user, PASSWORD)).status).toBe(200)
  await fail(user, 9)
  await app.advance(901)
  expect(await fail(user, 9)).toEqual(Array(9).fill('invalid_credentials'))
  expect((await login(user, PASSWORD)).status).toBe(200)
})

test('one network is stopped without the person being locked out, until many networks try', async () => {
  const user = await newUser()
  await fail(user, 10, '2001:db8::1')
  // All addresses of the /64, in any spelling, share the counter.
  for (const ip of ['2001:db8::2', '2001:0DB8:0:0:ffff::1'])
    expect((await login(user, PASSWORD, ip)).body.code).toBe('account_locked')
  expect(await statusOf(user)).toBe('active')
  expect((await login(user, PASSWORD, '203.0.113.9')).status).toBe(200)
  for (let network = 1; network <= 5; network++) await fail(user, 10, `198.51.100.${network}`)
  expect((await login(user, PASSWORD, '203.0.113.9')).body.code).toBe('account_locked')
  expect(await statusOf(user)).toBe('locked')
})

test('a right password clears the count of its own network, and that of no other', async () => {
  const user = await newUser()
  const [home, elsewhere] = ['203.0.113.9', '198.51.100.1']
  await fail(user, 9, elsewhere)
  for (let round = 0; round < 2; round++) {
    await fail(user, 9, home)
    expect((await login(user, PASSWORD, home)).status).toBe(200)
  }
  expect(await fail(user, 2, elsewhere)).toEqual(['invalid_credentials', 'account_locked'])
  expect((await login(user, PASSWORD, home)).status).toBe(200)
})

test('every spelling of an address shares its count', async () => {
  const user = await newUser()
  const spellings = [
    user.email.toUpperCase(),
    ` ${user.email}`,
    user.email.replace('e', 'E'),
    user.email.replace('@', '＠'),
  ]
  for (let i = 0; i < 10; i++) {
    const email = spellings[i % spellings.length] ?? user.email
    expect((await login({ ...user, email }, 'wrong')).status, email).toBe(401)
  }
  expect((await login(user, PASSWORD)).body.code).toBe('account_locked')
})

test('the limits are settings, and lockout can be off', async () => {
  const user = await newUser()
  const { subOrgId } = user
  await tenant.patch('/v1/auth/settings', { subOrgId, lockout_max_attempts: 3, lockout_duration_seconds: 60 })
  expect(await fail(user, 4)).toEqual([...Array(3).fill('invalid_credentials'), 'account_locked'])
  await app.advance(61)
  await tenant.patch('/v1/auth/settings', { subOrgId, lockout_enabled: false })
  expect(await fail(user, 6)).toEqual(Array(6).fill('invalid_credentials'))
  expect((await login(user, PASSWORD)).status).toBe(200)
})

test('the mailed link ends the lock, once and for this address alone', async () => {
  const [user, other] = [await newUser(), await newUser()]
  await fail(user, 10)
  await fail(other, 10)
  const { token_hash, type } = await mailedLink(app, user.email, 'account_locked')
  expect(type).toBe('unlock')
  const unlock = (who: Person) =>
    tenant.post('/v1/auth/unlock', { subOrgId: who.subOrgId, email: who.email, token_hash })
  expect((await unlock(other)).body.code).toBe('token_invalid')
  expect((await unlock(user)).body).toEqual({ success: true })
  expect((await unlock(user)).body.code).toBe('token_invalid')
  expect(await statusOf(user)).toBe('active')
  expect(await typesOf(user)).toContain('user.unlocked')
  expect((await login(user, PASSWORD)).status).toBe(200)
  expect((await login(other, PASSWORD)).body.code).toBe('account_locked')
  const byAdmin = await tenant.post(`/v1/users/${other.id}/unlock`, { subOrgId: other.subOrgId })
  expect(byAdmin.body).toEqual({ success: true, unlocked: true })
  expect((await login(other, PASSWORD)).status).toBe(200)
})

test('a full pool counts no attempt, and a right password that opens nothing counts none either', async () => {
  const user = await newUser()
  const { platform } = app.app
  const [go, places] = [Promise.withResolvers<void>(), 22 * Math.max(2, availableParallelism())]
  // Occupies all places for other directories, and also the room kept for directories with no more than their share.
  const held = Array.from({ length: places }, () =>
    withPasswordPlace({ platform, directory: { id: randomUUID() } }, () => go.promise),
  )
  for (let i = 0; i < 12; i++) {
    const reply = await login(user, PASSWORD)
    expect([reply.status, reply.body.code, reply.headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
  }
  go.resolve()
  await Promise.all(held)
  await tenant.patch('/v1/auth/settings', { subOrgId: user.subOrgId, require_email_verification: true })
  for (let i = 0; i < 12; i++) expect((await login(user, PASSWORD)).body.code).toBe('verification_required')
  await tenant.patch('/v1/auth/settings', { subOrgId: user.subOrgId, require_email_verification: false })
  expect((await login(user, PASSWORD)).status).toBe(200)
})

test('from the hundredth failure in a row on, each one locks for an hour', async () => {
  const user = await newUser()
  for (let round = 0; round < 11; round++) {
    expect(await fail(user, 9)).toEqual(Array(9).fill('invalid_credentials'))
    await app.advance(901)
  }
  expect(await fail(user, 2)).toEqual(['invalid_credentials', 'account_locked'])
  for (let hour = 0; hour < 2; hour++) {
    await app.advance(3601)
    expect(await fail(user, 2)).toEqual(['invalid_credentials', 'account_locked'])
  }
  await app.advance(3601)
  expect((await login(user, PASSWORD)).status).toBe(200)
  expect(await fail(user, 2)).toEqual(['invalid_credentials', 'invalid_credentials'])
})

test('a lock stays with its address when the user gets another one', async () => {
  const user = await newUser()
  await fail(user, 10)
  expect(await statusOf(user)).toBe('locked')
  const email = `new-${user.email}`
  await tenant.patch(`/v1/users/${user.id}`, { subOrgId: user.subOrgId, email })
  expect(await statusOf(user)).toBe('active')
  expect((await login({ ...user, email }, PASSWORD)).status).toBe(200)
  expect((await login(user, PASSWORD)).body.code).toBe('account_locked')
})
