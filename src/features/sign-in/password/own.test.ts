import { expect, test } from 'vitest'
import { freshPassword } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { inThisOrder } from '../../../../test/in-order.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedCode } from '../../../../test/people/sign-in.ts'
import { bearing, type OwnPerson, ownWorld, signedIn, signInAgain } from '../../../../test/walkers/own-world.ts'

const app = await startApp()
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const { subOrgId } = world

const change = (person: OwnPerson, body: object) => person.me.post('/v1/me/password', body)
const refused = (reply: { status: number; body: { code: string } }) => [reply.status, reply.body.code]
const signIn = (email: string, password: string) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password }, { 'x-end-user-ip': '127.0.0.1' })

test('people change their password: the other sessions end, this one stays, and they are told', async () => {
  const [password, next] = [freshPassword(), freshPassword()]
  const person = await signedIn(world, { password })
  const other = bearing(app, (await signInAgain(person)).access_token)
  const reset = succeeded(
    await tenant.post('/v1/auth/password/reset/send', { subOrgId, email: person.email, deliver: false }),
  )
  const changed = await change(person, { current_password: password, new_password: next })
  expect(succeeded(changed)).toEqual({ success: true, sessions_revoked: 1 })
  expect([(await person.me.get('/v1/me')).status, (await other.get('/v1/me')).status]).toEqual([200, 401])
  expect(refused(await signIn(person.email, password))).toEqual([401, 'invalid_credentials'])
  succeeded(await signIn(person.email, next))
  const token_hash = new URL(reset.url).searchParams.get('token_hash')
  const late = { subOrgId, email: person.email, token_hash, password: freshPassword() }
  expect((await tenant.post('/v1/auth/password/reset/confirm', late)).status).toBe(400)
  expect((await app.mails(person.email)).map(({ kind }) => kind)).toContain('password_changed')
  const event = (await app.events({ accountId: tenant.accountId, type: 'auth.password.changed' })).at(-1)
  expect(event).toMatchObject({ actor_type: 'user', actor_id: person.id, target_id: person.id, data: { by: 'user' } })
})

test('the present one is wanted, and guessing at it counts as at a sign-in', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  const new_password = freshPassword()
  expect(refused(await change(person, { new_password }))).toEqual([400, 'invalid_request'])
  for (let i = 0; i < 10; i++)
    expect(refused(await change(person, { current_password: `wrong ${i}`, new_password }))).toEqual([
      401,
      'invalid_credentials',
    ])
  expect(refused(await change(person, { current_password: password, new_password }))).toEqual([429, 'account_locked'])
  expect(refused(await signIn(person.email, password))).toEqual([429, 'account_locked'])
})

test('whoever has none sets the first one; a guess at none is wrong', async () => {
  const person = await signedIn(world)
  const password = freshPassword()
  expect(refused(await change(person, { current_password: 'none', new_password: password }))).toEqual([
    401,
    'invalid_credentials',
  ])
  succeeded(await change(person, { new_password: password }))
  succeeded(await signIn(person.email, password))
})

test('the policy judges the new one, which is not the present one', async () => {
  const password = freshPassword()
  const person = await signedIn(world, { password })
  const same = await change(person, { current_password: password, new_password: password })
  expect([...refused(same), same.body.reasons]).toEqual([422, 'weak_password', ['reused']])
  expect(refused(await change(person, { current_password: password, new_password: 'short' }))).toEqual([
    422,
    'weak_password',
  ])
  succeeded(await signIn(person.email, password))
})

test('of several first passwords, and of several changes, one is set', async () => {
  const person = await signedIn(world)
  const firsts = await Promise.all([1, 2, 3].map(() => change(person, { new_password: freshPassword() })))
  expect(firsts.filter(({ status }) => status === 200).length).toBe(1)
})

test('a change of the address meanwhile leaves the password as it was', async () => {
  const [password, new_password, email] = [freshPassword(), freshPassword(), newEmail()]
  const person = await signedIn(world, { password })
  const { otp_id } = succeeded(await person.me.post('/v1/me/email', { email }))
  const code = await mailedCode(app, email)
  const [moved, late] = await inThisOrder(
    app.app.platform,
    person.id,
    () => person.me.post('/v1/me/email/verify', { email, otp_id, code }),
    () => change(person, { current_password: password, new_password }),
  )
  expect([moved.status, ...refused(late)]).toEqual([200, 401, 'invalid_credentials'])
  expect(refused(await signIn(email, new_password))).toEqual([401, 'invalid_credentials'])
  succeeded(await signIn(email, password))
  expect((await app.mails(email)).map(({ kind }) => kind)).not.toContain('password_changed')
})
