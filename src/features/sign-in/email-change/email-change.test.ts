import { expect, test } from 'vitest'
import { freshPassword } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'
import {
  bearing,
  changeAddress,
  enforceSso,
  type OwnPerson,
  ownWorld,
  signedIn,
  signInAgain,
} from '../../../../test/walkers/own-world.ts'

const app = await startApp()
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const { subOrgId } = world

const begin = (person: OwnPerson, email: string) => person.me.post('/v1/me/email', { email })
const verify = (person: OwnPerson, body: object) => person.me.post('/v1/me/email/verify', body)
const undo = (email: string, token_hash: string) => tenant.post('/v1/auth/email/undo', { subOrgId, email, token_hash })
const undoLink = async (email: string) => (await mailedLink(app, email, 'own_email_changed')).token_hash
const refused = (reply: { status: number; body: { code: string } }) => [reply.status, reply.body.code]
const userOf = async ({ id }: { id: string }) => (await tenant.get(`/v1/users/${id}`)).body.user
const kindsTo = async (email: string) => (await app.mails(email)).map(({ kind }) => kind)

test('the address changes at the proof of the new one; other sessions end, this one stays, the old one is told', async () => {
  const person = await signedIn(world)
  const other = bearing(app, (await signInAgain(person)).access_token)
  const email = newEmail()
  const { otp_id } = succeeded(await begin(person, email))
  expect(await userOf(person)).toMatchObject({ email: person.email, emailVerified: true })
  const changed = await verify(person, { email, otp_id, code: await mailedCode(app, email) })
  expect(succeeded(changed)).toMatchObject({ user: { email, emailVerified: true }, sessions_revoked: 1 })
  expect([(await person.me.get('/v1/me')).status, (await other.get('/v1/me')).status]).toEqual([200, 401])
  expect(await kindsTo(email)).toEqual(['email_change_otp'])
  expect((await kindsTo(person.email)).filter((kind) => kind.includes('changed'))).toEqual(['own_email_changed'])
  const events = await app.events({ accountId: tenant.accountId, type: 'user.updated' })
  expect(events.at(-1)).toMatchObject({
    actor_type: 'user',
    actor_id: person.id,
    target_id: person.id,
    previous: { email: person.email },
  })
  const ended = (await app.events({ accountId: tenant.accountId, type: 'session.revoked' })).at(-1)
  expect(ended).toMatchObject({ actor_type: 'user', data: { reason: 'email_changed' } })
})

test('who asks for an address that another asks for, too, ends no code but their own', async () => {
  const [owner, attacker] = [await signedIn(world), await signedIn(world)]
  const email = newEmail()
  const older = succeeded(await begin(owner, email)).otp_id
  const olderCode = await mailedCode(app, email)
  const { otp_id } = succeeded(await begin(owner, email))
  const code = await mailedCode(app, email)
  succeeded(await begin(attacker, email))
  expect(refused(await verify(owner, { email, otp_id: older, code: olderCode }))).toEqual([401, 'otp_invalid'])
  expect(refused(await verify(attacker, { email, otp_id, code }))).toEqual([401, 'otp_invalid'])
  expect(succeeded(await verify(owner, { email, otp_id, code })).user).toMatchObject({ id: owner.id, email })
  expect(await userOf(attacker)).toMatchObject({ email: attacker.email })
})

test('a code proves one address, for whom it was made, once', async () => {
  const [person, other] = [await signedIn(world), await signedIn(world)]
  const [email, another] = [newEmail(), newEmail()]
  const { otp_id } = succeeded(await begin(person, email))
  const code = await mailedCode(app, email)
  expect(refused(await verify(person, { email: another, otp_id, code }))).toEqual([401, 'otp_invalid'])
  expect(refused(await verify(other, { email, otp_id, code }))).toEqual([401, 'otp_invalid'])
  const login = { subOrgId, email, otp_id, code }
  expect((await tenant.post('/v1/auth/login/otp/verify', login)).status).toBe(401)
  expect(await userOf(other)).toMatchObject({ email: other.email })
  const bodies = [1, 2, 3].map(() => verify(person, { email, otp_id, code }))
  expect((await Promise.all(bodies)).map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
  succeeded(await changeAddress(app, person.me, another))
  expect(refused(await verify(person, { email, otp_id, code }))).toEqual([401, 'otp_invalid'])
  expect(await userOf(person)).toMatchObject({ email: another })
})

test('of several who want one address each gets a code of their own', async () => {
  const [person, other] = [await signedIn(world), await signedIn(world)]
  const email = newEmail()
  const first = succeeded(await begin(person, email))
  const second = succeeded(await begin(other, email))
  expect(second.otp_id).not.toBe(first.otp_id)
  const { otp_id } = second
  succeeded(await verify(other, { email, otp_id, code: await mailedCode(app, email) }))
})

test('whether an address is taken is told after its mailbox is proved, and not before', async () => {
  const [person, owner] = [await signedIn(world), await signedIn(world)]
  const [free, taken] = [await begin(person, newEmail()), await begin(person, owner.email)]
  expect([free.status, taken.status]).toEqual([200, 200])
  expect(Object.keys(taken.body)).toEqual(Object.keys(free.body))
  const { otp_id } = taken.body
  const proved = { email: owner.email, otp_id, code: await mailedCode(app, owner.email) }
  expect(refused(await verify(person, proved))).toEqual([409, 'email_exists'])
  expect([await userOf(person), await userOf(owner)]).toMatchObject([{ email: person.email }, { email: owner.email }])
})

test('the present address is no new one; one that provisioning set, or single sign-on stands for, stays', async () => {
  const person = await signedIn(world)
  const same = await begin(person, person.email.toUpperCase())
  expect([...refused(same), same.body.errors]).toMatchObject([400, 'invalid_request', [{ code: 'unchanged' }]])
  const { platform } = app.app
  await platform.db.updateTable('users').set({ scim_managed: true }).where('id', '=', person.id).execute()
  expect(refused(await begin(person, newEmail()))).toEqual([409, 'scim_managed'])
  const bound = await ownWorld(app, tenant)
  const member = await signedIn(bound)
  await enforceSso(bound)
  expect(refused(await begin(member, newEmail()))).toEqual([403, 'sso_required'])
})

test('nobody has many addresses mailed through their account', async () => {
  const person = await signedIn(world)
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) statuses.push((await begin(person, newEmail())).status)
  expect(statuses).toEqual([...Array(10).fill(200), 429])
})

test('the old mailbox undoes the change, and what was done since opens nothing', async () => {
  const person = await signedIn(world)
  const [email, third] = [newEmail(), newEmail()]
  succeeded(await changeAddress(app, person.me, email))
  const token = await undoLink(person.email)
  // The person with the new mailbox can set a password through it, which ends every session, and then change the
  // address again.
  const password = freshPassword()
  succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }))
  const { token_hash } = await mailedLink(app, email, 'password_reset')
  succeeded(await tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash, password }))
  const again = bearing(app, (await signInAgain({ ...person, email })).access_token)
  succeeded(await changeAddress(app, again, third))
  succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email: third }))
  const late = await mailedLink(app, third, 'password_reset')
  const undone = await Promise.all([1, 2, 3, 4].map(() => undo(person.email, token)))
  expect(undone.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  expect(await userOf(person)).toMatchObject({ email: person.email, emailVerified: true })
  expect((await again.get('/v1/me')).status).toBe(401)
  const reset = { subOrgId, email: third, token_hash: late.token_hash, password: freshPassword() }
  expect((await tenant.post('/v1/auth/password/reset/confirm', reset)).status).toBe(400)
  expect(refused(await undo(person.email, token))).toEqual([400, 'token_invalid'])
  const restored = await app.events({ accountId: tenant.accountId, type: 'user.email_restored' })
  expect(restored.filter(({ target_id }) => target_id === person.id)).toHaveLength(1)
})

test('an address of the last days takes nothing back, nor one that was never proved', async () => {
  const person = await signedIn(world)
  const email = newEmail()
  succeeded(await changeAddress(app, person.me, email))
  // The owner changes the address back. The mailbox in between must not get a link.
  succeeded(await changeAddress(app, person.me, person.email))
  const [notice] = (await app.mails(email)).filter(({ kind }) => kind === 'own_email_changed')
  expect(notice?.text).toContain('was changed')
  expect(notice?.text).not.toContain('token_hash')
  const password = freshPassword()
  const signup = { subOrgId, email: newEmail(), password, openSignup: true }
  const { session } = succeeded(await tenant.post('/v1/auth/signup/password', signup))
  succeeded(await changeAddress(app, bearing(app, session.access_token), newEmail()))
  const [told] = (await app.mails(signup.email)).filter(({ kind }) => kind === 'own_email_changed')
  expect(told?.text).not.toContain('token_hash')
})

test('a change by the backend is the last word, and 7 days are the end of the link', async () => {
  const [person, patient] = [await signedIn(world), await signedIn(world)]
  for (const { me } of [person, patient]) succeeded(await changeAddress(app, me, newEmail()))
  const [token, old] = [await undoLink(person.email), await undoLink(patient.email)]
  const email = newEmail()
  succeeded(await tenant.patch(`/v1/users/${person.id}`, { subOrgId, email }))
  expect(refused(await undo(person.email, token))).toEqual([400, 'token_invalid'])
  expect(await userOf(person)).toMatchObject({ email })
  await app.advance(7 * 86_400 + 1)
  expect(refused(await undo(patient.email, old))).toEqual([400, 'token_expired'])
})

test('an address that somebody else has by now is not taken from them', async () => {
  const person = await signedIn(world)
  const email = newEmail()
  succeeded(await changeAddress(app, person.me, email))
  const token = await undoLink(person.email)
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: person.email }))
  expect(refused(await undo(person.email, token))).toEqual([409, 'email_exists'])
  expect([await userOf(person), await userOf(user)]).toMatchObject([{ email }, { email: person.email }])
  expect((await person.me.get('/v1/me')).status).toBe(200)
})
