import { expect, test } from 'vitest'
import { fresh, freshPassword } from '../../../../test/fresh.ts'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { inThisOrder } from '../../../../test/in-order.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { register } from '../../../../test/people/passkeys.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'
import { verifyDomain } from '../../../../test/people/saml-connection.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { USER } from '../../../../test/people/scim-answers.ts'
import { mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { type OwnPerson, ownWorld, signedIn, signInAgain } from '../../../../test/walkers/own-world.ts'

const app = await startApp()
const second = await startSecondApp(app)
const { platform } = app.app
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const { subOrgId } = world
const HOUR = 3600

const verdict = ({ status, body }: Reply) => [status, body.code]
const lock = (id: string, more: object = {}) =>
  tenant.post(`/v1/users/${id}/lock`, { subOrgId, reason: 'Stolen', ...more })
const unlock = (id: string, more: object = {}) => tenant.post(`/v1/users/${id}/unlock`, { subOrgId, ...more })
const userOf = async ({ id }: { id: string }) => succeeded(await tenant.get(`/v1/users/${id}`)).user
const signIn = (email: string, password: string, more: object = {}) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password, ...more })
const inHours = (hours: number) => new Date(platform.clock.now().getTime() + hours * HOUR * 1000).toISOString()
const eventsOf = async (id: string) =>
  (await app.events({ accountId: tenant.accountId })).filter((event) => event.target_id === id)
const isLive = async (token: string) =>
  succeeded(await tenant.post('/v1/auth/token/introspect', { subOrgId, token })).active

test('a lock ends every session at once, and a right credential gets user_locked', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  const other = await signInAgain(person)
  const [before, mails] = [await userOf(person), await app.mails(person.email)]
  expect([before.status, before.lock]).toEqual(['active', null])
  const until = inHours(2)
  const { user, revoked } = succeeded(await lock(person.id, { reason: 'Laptop stolen', until }))
  expect(revoked).toBe(2)
  expect(user).toEqual({
    ...before,
    status: 'locked',
    lock: { cause: 'administrator', reason: 'Laptop stolen', lockedAt: user.updatedAt, until },
    updatedAt: user.updatedAt,
  })
  expect([user, (await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${person.email}`)).body.users]).toEqual([
    await userOf(person),
    [user],
  ])
  for (const token of [person.session.access_token, other.access_token]) expect(await isLive(token)).toBe(false)
  expect((await person.me.get('/v1/me')).status).toBe(401)
  const { refresh_token } = person.session
  expect(verdict(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token }))).toEqual([
    403,
    'user_locked',
  ])
  const right = await signIn(person.email, password)
  expect(verdict(right)).toEqual([403, 'user_locked'])
  expect(right.text).not.toContain('Laptop stolen')
  expect(verdict(await signIn(person.email, freshPassword()))).toEqual([401, 'invalid_credentials'])
  const [event, ...more] = (await eventsOf(person.id)).filter(({ type }) => /^user\.(?!created)/.test(type))
  expect(more).toEqual([])
  expect(event).toMatchObject({ type: 'user.locked', actor_type: 'api_key', data: user, previous: { lock: null } })
  const reasons = await platform.db
    .selectFrom('sessions')
    .select('revoked_reason')
    .where('user_id', '=', person.id)
    .execute()
  expect(reasons.map(({ revoked_reason }) => revoked_reason)).toEqual(['user_locked', 'user_locked'])
  // The user gets no mail, because the mailbox may be under an attacker's control.
  expect(await app.mails(person.email)).toEqual(mails)
})

test('it ends by itself at its time, without an event, and sessions from before stay ended', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  succeeded(await lock(person.id, { until: inHours(1) }))
  const seen = (await eventsOf(person.id)).length
  await app.advance(HOUR - 60)
  expect(verdict(await signIn(person.email, password))).toEqual([403, 'user_locked'])
  await app.advance(61)
  expect(await userOf(person)).toMatchObject({ status: 'active', lock: null })
  expect(succeeded(await unlock(person.id)).unlocked).toBe(false)
  const { refresh_token } = person.session
  const refreshed = await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token })
  expect(verdict(refreshed)).toEqual([401, 'refresh_token_invalid'])
  const since = (await eventsOf(person.id)).slice(seen).map(({ type }) => type)
  expect(since.filter((type) => type !== 'auth.login.failed')).toEqual([])
  succeeded(await signIn(person.email, password))
})

test('a second lock replaces the first, without an end if it names none', async () => {
  const { id } = await newUser(tenant, { subOrgId })
  const first = succeeded(await lock(id, { reason: 'First', until: inHours(1) })).user
  const next = succeeded(await lock(id, { reason: 'Second', until: null })).user
  expect([first.lock.reason, next.lock.reason, next.lock.until]).toEqual(['First', 'Second', null])
  const [, event] = (await eventsOf(id)).filter(({ type }) => type === 'user.locked')
  expect(event?.previous).toMatchObject({ lock: first.lock })
  await app.advance(400 * 24 * HOUR)
  expect((await userOf({ id })).lock).toEqual(next.lock)
})

test('an unlock ends both kinds of lock at once', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  for (let n = 0; n < 10; n++) await signIn(person.email, `wrong ${n}`)
  expect((await userOf(person)).lock).toMatchObject({
    cause: 'failed_attempts',
    reason: null,
    until: expect.any(String),
  })
  succeeded(await lock(person.id))
  const { lock: held } = await userOf(person)
  expect(held.cause).toBe('administrator')
  expect(succeeded(await unlock(person.id))).toEqual({ success: true, unlocked: true })
  expect(await userOf(person)).toMatchObject({ status: 'active', lock: null })
  succeeded(await signIn(person.email, password))
  const event = (await eventsOf(person.id)).findLast(({ type }) => type === 'user.unlocked')
  expect(event).toMatchObject({ actor_type: 'api_key', previous: { status: 'locked', lock: held } })
  expect(succeeded(await unlock(person.id)).unlocked).toBe(false)
})

/** Actions of an administrator or the user that do not lift the lock. */
const acts: Record<string, (person: OwnPerson, password: string) => Promise<unknown>> = {
  async 'the link of a lock notice'({ email }) {
    const { token_hash } = await mailedLink(app, email, 'account_locked')
    succeeded(await tenant.post('/v1/auth/unlock', { subOrgId, email, token_hash }))
  },
  async 'a new password'({ id }, password) {
    succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password }))
  },
  async 'a deactivation and a reactivation'({ id }) {
    for (const active of [false, true]) succeeded(await tenant.patch(`/v1/users/${id}`, { subOrgId, active }))
  },
  async 'another address'(person) {
    person.email = newEmail()
    succeeded(await tenant.patch(`/v1/users/${person.id}`, { subOrgId, email: person.email }))
  },
  async 'a deletion and a restoration'(person, password) {
    succeeded(await tenant.delete(`/v1/users/${person.id}?subOrgId=${subOrgId}`))
    succeeded(await tenant.post(`/v1/users/${person.id}/restore`, { subOrgId }))
    succeeded(await tenant.put(`/v1/users/${person.id}/password`, { subOrgId, password }))
  },
}

test.each(Object.entries(acts))('%s lifts no lock', async (_, act) => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  const { user } = succeeded(await lock(person.id, { until: inHours(5) }))
  for (let n = 0; n < 10; n++) await signIn(person.email, `wrong ${n}`)
  await act(person, password)
  expect(await userOf(person)).toMatchObject({ active: true, status: 'locked', lock: user.lock })
  // By this time the lock of the address has ended, if there was one.
  await app.advance(HOUR)
  expect(verdict(await signIn(person.email, password))).toEqual([403, 'user_locked'])
})

test('a move carries the lock along', async () => {
  const person = await signedIn(world)
  const { user } = succeeded(await lock(person.id, { until: inHours(1) }))
  const targetSubOrgId = await tenant.organization()
  succeeded(await tenant.post(`/v1/users/${person.id}`, { subOrgId, targetSubOrgId }))
  expect(await userOf(person)).toMatchObject({ subOrgId: targetSubOrgId, status: 'locked', lock: user.lock })
})

test('a managed user is locked and unlocked, and provisioning lifts no lock', async () => {
  const domain = `${fresh()}.example`
  const client = await provisioned(app, tenant)
  await verifyDomain(app, tenant, client.subOrgId, domain)
  const userName = `ada@${domain}`
  const add = async () => (await client.call('POST', '/Users', { schemas: [USER], userName })).body.id
  const turn = (id: string, active: boolean) =>
    client.call('PATCH', `/Users/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: active }],
    })
  const id = await add()
  const { user } = succeeded(await lock(id, { subOrgId: client.subOrgId, until: inHours(9) }))
  expect(user).toMatchObject({ scimManaged: true, active: true, status: 'locked' })
  expect((await client.call('GET', `/Users/${id}`)).body.active).toBe(true)
  for (const active of [false, true]) expect((await turn(id, active)).status).toBe(200)
  expect(await userOf({ id })).toMatchObject({ active: true, status: 'locked', lock: user.lock })
  expect((await client.call('DELETE', `/Users/${id}`)).status).toBe(204)
  const again = await add()
  expect(await userOf({ id: again })).toMatchObject({ active: true, status: 'locked', lock: user.lock })
  expect(succeeded(await unlock(again, { subOrgId: client.subOrgId })).unlocked).toBe(true)
  expect(await userOf({ id: again })).toMatchObject({ status: 'active', lock: null, scimManaged: true })
})

test('nothing is sent to a locked user, and managers get user_locked', async () => {
  const person = await signedIn(world)
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, impersonation_enabled: true }))
  const unproved = await newUser(tenant, { subOrgId })
  for (const { id } of [person, unproved]) succeeded(await lock(id))
  const mails = [await app.mails(person.email), await app.mails(unproved.email)]
  const { id, email } = person
  for (const reply of [
    await tenant.post('/v1/users/invites', { subOrgId, email }),
    await tenant.post(`/v1/users/${id}/invite`, { subOrgId }),
    await tenant.post(`/v1/users/${id}/password/reset`, { subOrgId }),
    await tenant.post(`/v1/users/${unproved.id}/verify/resend`, { subOrgId }),
    await tenant.post('/v1/auth/passkey/register', { subOrgId, userId: id, action: 'options' }),
    await tenant.post(`/v1/users/${id}/impersonate`, { subOrgId, actor: 'grace', reason: 'Ticket 1' }),
  ])
    expect(verdict(reply)).toEqual([403, 'user_locked'])
  const check = await tenant.post('/v1/rbac/check', { subOrgId, userId: id, permission: 'members:read' })
  expect(succeeded(check)).toEqual({ allowed: false, reason: 'inactive' })
  succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email }))
  expect([await app.mails(person.email), await app.mails(unproved.email)]).toEqual(mails)
  const [event] = await app
    .events({ accountId: tenant.accountId, type: 'auth.login.failed' })
    .then((all) => all.slice(-1))
  expect(event?.data).toMatchObject({ reason: 'user_locked' })
})

test('a passkey, a code and a discovery from before open no session', async () => {
  const person = await signedIn(world)
  await register(tenant, { subOrgId, userId: person.id }, newPasskey())
  const { otp_id } = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: person.email }))
  const code = await mailedCode(app, person.email)
  const found = succeeded(await tenant.post('/v1/auth/discovery/otp/send', { email: person.email }))
  const proof = { email: person.email, otp_id: found.otp_id, code: await mailedCode(app, person.email) }
  succeeded(await lock(person.id))
  const late = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: person.email, otp_id, code })
  expect(late.status).toBeGreaterThanOrEqual(400)
  const { organizations, discovery_token } = succeeded(await tenant.post('/v1/auth/discovery/otp/verify', proof))
  expect(organizations).toEqual([])
  const entered = await tenant.post('/v1/auth/discovery/exchange', { subOrgId, discovery_token })
  expect([entered.status, entered.body.session]).toEqual([expect.any(Number), undefined])
  expect(entered.status).toBeGreaterThanOrEqual(400)
  const { users } = succeeded(await tenant.get(`/v1/sessions?subOrgId=${subOrgId}&userId=${person.id}`))
  expect(users).toEqual([])
})

test.each(['before', 'after'] as const)(
  'a sign-in by another process just %s the lock leaves no session',
  async (when) => {
    const password = freshPassword()
    const person = await signedIn(world, { password })
    const elsewhere = second.as(tenant.key)
    const enter = () => elsewhere.post('/v1/auth/login/password', { subOrgId, email: person.email, password })
    const shut = () => lock(person.id)
    const [first, then] = when === 'before' ? [enter, shut] : [shut, enter]
    await inThisOrder(platform, person.id, first, then)
    const { users } = succeeded(await tenant.get(`/v1/sessions?subOrgId=${subOrgId}&userId=${person.id}`))
    expect(users).toEqual([])
    expect((await userOf(person)).status).toBe('locked')
  },
)

test.each([
  ['no reason', { reason: undefined }, 'reason'],
  ['a reason of blanks', { reason: ' ' }, 'reason'],
  ['an end that is over', { until: '2020-01-01T00:00:00.000Z' }, 'until'],
  ['an end that is no time', { until: 'tomorrow' }, 'until'],
])('%s is refused, and nothing changes', async (_, more, field) => {
  const { id } = await newUser(tenant, { subOrgId })
  const before = await userOf({ id })
  const reply = await lock(id, more)
  expect([...verdict(reply), reply.body.errors[0].field]).toEqual([400, 'invalid_request', field])
  expect(await userOf({ id })).toEqual(before)
})
