import { describe, expect, test } from 'vitest'
import { freshPassword } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { pageOf, register } from '../../../../test/people/passkeys.ts'
import {
  bearing,
  codeNow,
  enforceSso,
  giveApp,
  type OwnPerson,
  ownCode,
  ownWorld,
  signedIn,
} from '../../../../test/walkers/own-world.ts'

const app = await startApp()
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const { subOrgId } = world
const { db } = app.app.platform

const appCode = (secret: string) => codeNow(world, secret)

const begin = async (person: OwnPerson, method?: string) =>
  succeeded(await person.me.post('/v1/me/step-up', method ? { method } : {}))
const verify = (person: OwnPerson, proof: object) => person.me.post('/v1/me/step-up/verify', proof)
const info = async (token: string) => succeeded(await bearing(app, token).get('/v1/auth/userinfo'))
const refused = (reply: { status: number; body: { code: string } }) => [reply.status, reply.body.code]

test('tells what would do: what people sign in with, or the second factor of who has one', async () => {
  const plain = await signedIn(world)
  expect(await begin(plain)).toEqual({ methods: ['otp'] })
  const person = await signedIn(world, { password: freshPassword() })
  expect(await begin(person)).toEqual({ methods: ['password', 'otp'] })
  await register(tenant, { subOrgId, userId: person.id }, newPasskey())
  expect(await begin(person)).toEqual({ methods: ['password', 'otp', 'passkey'] })
  await giveApp(person)
  expect(await begin(person)).toEqual({ methods: ['totp', 'passkey'] })
  expect(refused(await person.me.post('/v1/me/step-up', { method: 'otp' }))).toEqual([403, 'method_disabled'])
})

test('a password: the same session gets a fresh time, its refresh token stays, and wrong ones count', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  const before = await info(person.session.access_token)
  await app.advance(900)
  expect(refused(await verify(person, { password: 'not it' }))).toEqual([401, 'invalid_credentials'])
  const token = succeeded(await verify(person, { password }))
  const after = await info(token.access_token)
  expect(after).toMatchObject({ sid: before.sid, amr: ['otp', 'pwd'], aal: 'aal1', auth_time: token.auth_time })
  expect(after.auth_time - before.auth_time).toBeGreaterThanOrEqual(900)
  // The earlier token keeps its claims.
  expect(await info(person.session.access_token)).toMatchObject({ auth_time: before.auth_time, amr: ['otp'] })
  const { refresh_token } = person.session
  const { session } = succeeded(await tenant.post('/v1/auth/token/refresh', { subOrgId, refresh_token }))
  expect((await info(session.access_token)).auth_time).toBe(after.auth_time)
  const event = (await app.events({ accountId: tenant.accountId, type: 'auth.step_up.succeeded' })).at(-1)
  expect(event).toMatchObject({ actor_type: 'user', actor_id: person.id, data: { method: 'password' } })

  for (let i = 0; i < 10; i++) await verify(person, { password: `wrong ${i}` })
  expect(refused(await verify(person, { password }))).toEqual([429, 'account_locked'])
  const here = { 'x-end-user-ip': '127.0.0.1' }
  const signIn = await tenant.post('/v1/auth/login/password', { subOrgId, email: person.email, password }, here)
  expect(refused(signIn)).toEqual([429, 'account_locked'])
})

test('a password that must be changed proves nothing', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  await db.updateTable('password_credentials').set({ must_change: true }).where('user_id', '=', person.id).execute()
  expect((await begin(person)).methods).toEqual(['otp'])
  expect(refused(await verify(person, { password }))).toEqual([403, 'method_disabled'])
})

test('a mailed code: once, for this and nothing else, and of the person themselves', async () => {
  const [person, other] = [await signedIn(world), await signedIn(world)]
  const proof = await ownCode(person)
  const asLogin = await tenant.post('/v1/auth/login/otp/verify', { subOrgId, email: person.email, ...proof })
  expect(refused(asLogin)).toEqual([401, 'otp_invalid'])
  expect(refused(await verify(other, proof))).toEqual([401, 'otp_invalid'])
  succeeded(await verify(person, proof))
  expect(refused(await verify(person, proof))).toEqual([401, 'otp_invalid'])
  await app.advance(31)
  const login = succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email: person.email }))
  const code = (await app.mails(person.email)).at(-1)?.text.match(/^[a-z]+ [a-z]+$/m)?.[0]
  expect(refused(await verify(person, { otp_id: login.otp_id, code }))).toEqual([401, 'otp_invalid'])
})

test('of several with one code, one passes', async () => {
  const person = await signedIn(world)
  const proof = await ownCode(person)
  const replies = await Promise.all(Array.from({ length: 5 }, () => verify(person, proof)))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
})

describe('a second factor', () => {
  test('makes the session one of two factors; each code is good once', async () => {
    const person = await signedIn(world)
    const secret = await giveApp(person)
    const { challenge_token } = await begin(person, 'totp')
    const proof = { challenge_token, code: appCode(secret) }
    const token = succeeded(await verify(person, proof))
    expect(await info(token.access_token)).toMatchObject({ aal: 'aal2', amr: ['otp', 'mfa'] })
    expect(refused(await verify(person, proof))).toEqual([400, 'challenge_expired'])
    const again = { challenge_token: (await begin(person, 'totp')).challenge_token, code: proof.code }
    expect(refused(await verify(person, again))).toEqual([401, 'mfa_code_invalid'])
    const types = (await app.events({ accountId: tenant.accountId })).map(({ type }) => type)
    expect(types).toContain('mfa.challenge.succeeded')
  })

  test('its challenge is of one session, and no sign-in; nor is that of a sign-in one of these', async () => {
    const [person, other] = [await signedIn(world), await signedIn(world)]
    const secret = await giveApp(person)
    const { challenge_token } = await begin(person, 'totp')
    const code = appCode(secret)
    const asLogin = await tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code })
    expect(refused(asLogin)).toEqual([400, 'challenge_expired'])
    await giveApp(other)
    expect(refused(await verify(other, { challenge_token, code }))).toEqual([400, 'challenge_expired'])
    const held = await tenant.post('/v1/auth/login/magic-link/send', { subOrgId, email: person.email, deliver: false })
    const token_hash = new URL(succeeded(held).url).searchParams.get('token_hash')
    const login = await tenant.post('/v1/auth/login/magic-link/verify', { subOrgId, email: person.email, token_hash })
    const { challenge_token: ofLogin } = succeeded(login)
    expect(refused(await verify(person, { challenge_token: ofLogin, code }))).toEqual([400, 'challenge_expired'])
    succeeded(await verify(person, { challenge_token, code }))
  })

  test('five wrong codes end a challenge, and lock out the person over all', async () => {
    const person = await signedIn(world)
    const secret = await giveApp(person)
    const guess = async (challenge_token: string) => refused(await verify(person, { challenge_token, code: '000000' }))
    const first = (await begin(person, 'totp')).challenge_token
    for (let i = 0; i < 5; i++) expect(await guess(first)).toEqual([401, 'mfa_code_invalid'])
    expect(await guess(first)).toEqual([400, 'challenge_expired'])
    const second = (await begin(person, 'totp')).challenge_token
    for (let i = 0; i < 5; i++) await guess(second)
    const third = (await begin(person, 'totp')).challenge_token
    const right = await verify(person, { challenge_token: third, code: appCode(secret) })
    expect(refused(right)).toEqual([429, 'account_locked'])
  })
})

test('a passkey makes the session one of two factors, and signs for this alone', async () => {
  const [person, other] = [await signedIn(world), await signedIn(world)]
  const passkey = newPasskey()
  await register(tenant, { subOrgId, userId: person.id }, passkey)
  await register(tenant, { subOrgId, userId: other.id }, newPasskey())
  const answer = async (who: OwnPerson) => {
    const { options, challengeId } = await begin(who, 'passkey')
    return { challengeId, credential: passkey.use(options, { origin: pageOf(options.rpId) }) }
  }
  expect(refused(await verify(other, await answer(other)))).toEqual([401, 'passkey_invalid'])
  const { challengeId, credential } = await answer(person)
  const asLogin = await tenant.post('/v1/auth/login/passkey/verify', {
    subOrgId,
    email: person.email,
    challengeId,
    credential,
  })
  expect(refused(asLogin)).toEqual([401, 'passkey_invalid'])
  const token = succeeded(await verify(person, await answer(person)))
  expect(await info(token.access_token)).toMatchObject({ aal: 'aal2', amr: ['otp', 'pop', 'user', 'mfa'] })
})

test('one proof at a time, and whole', async () => {
  const person = await signedIn(world)
  const bodies = [
    {},
    { otp_id: 'x' },
    { code: 'x' },
    { password: 'a', otp_id: 'b', code: 'c' },
    { password: 'a', code: 'c' },
  ]
  for (const body of bodies) expect(refused(await verify(person, body))).toEqual([400, 'invalid_request'])
})

test('where single sign-on is enforced, people step up by that alone, and set no password', async () => {
  const closed = await ownWorld(app, tenant)
  const password = freshPassword()
  const person = await signedIn(closed, { password })
  await enforceSso(closed)
  expect((await begin(person)).methods).toEqual(['sso'])
  expect(refused(await verify(person, { password }))).toEqual([403, 'method_disabled'])
  const change = { current_password: password, new_password: freshPassword() }
  expect(refused(await person.me.post('/v1/me/password', change))).toEqual([403, 'sso_required'])
  await giveApp(person)
  expect((await begin(person)).methods).toEqual(['totp'])
})

test('one person starts ten step-ups a minute, whatever the methods; more leave no rows behind', async () => {
  const [person, other] = [await signedIn(world), await signedIn(world)]
  await register(tenant, { subOrgId, userId: person.id }, newPasskey())
  await giveApp(person)
  const rows = async () => {
    const challenges = await db.selectFrom('mfa_challenges').select('id').where('user_id', '=', person.id).execute()
    const ceremonies = await db
      .selectFrom('webauthn_ceremonies')
      .select('id')
      .where('user_id', '=', person.id)
      .execute()
    return [challenges.length, ceremonies.length]
  }
  const before = await rows()
  for (let n = 0; n < 5; n++) for (const method of ['totp', 'passkey']) await begin(person, method)
  const full = await rows()
  expect(full.map((count, n) => count - (before[n] ?? 0))).toEqual([5, 5])
  for (const method of ['totp', 'passkey'])
    expect(refused(await person.me.post('/v1/me/step-up', { method }))).toEqual([429, 'rate_limited'])
  expect(await rows()).toEqual(full)
  await begin(other, 'otp')
  await app.advance(60)
  await begin(person, 'totp')
})
