import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { type MailedLink, mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import {
  bearing,
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
const OWN = 'https://app.example.com/new-address'
succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [OWN] }))

const begin = (person: OwnPerson, email: string, more: object = {}) =>
  person.me.post('/v1/me/email', { email, ...more })
const verify = (person: Pick<OwnPerson, 'me'>, body: object) => person.me.post('/v1/me/email/verify', body)
const refused = (reply: { status: number; body: { code: string } }) => [reply.status, reply.body.code]
const userOf = async ({ id }: { id: string }) => (await tenant.get(`/v1/users/${id}`)).body.user
const noticesTo = async (email: string) =>
  (await app.mails(email)).filter(({ kind }) => kind === 'own_email_changed').length

/** Requests a change of address, and returns what its mail contains. */
async function asked(person: OwnPerson, email = newEmail()) {
  const { otp_id } = succeeded(await begin(person, email, { redirectTo: OWN }))
  const link = await mailedLink(app, email, 'email_change_otp')
  const byLink = { email, token_hash: link.token_hash }
  return { email, code: { email, otp_id, code: await mailedCode(app, email) }, link, byLink }
}

/** Follows a link without being signed in, and returns the status. */
async function press({ token_hash, email }: MailedLink) {
  const body = new URLSearchParams({ token_hash, email, type: 'email_change' })
  return (await fetch(`${app.baseUrl}/auth/link`, { method: 'POST', body, redirect: 'manual' })).status
}

test('the link proves the new address in the session that asked, as the code does, and ends with it', async () => {
  const [person, stranger] = [await signedIn(world), await signedIn(world)]
  const other = bearing(app, (await signInAgain(person)).access_token)
  const elsewhere = 'https://elsewhere.example.com/'
  expect(refused(await begin(person, newEmail(), { redirectTo: elsewhere }))).toEqual([400, 'invalid_redirect_uri'])
  const { email, code, link, byLink } = await asked(person)
  expect([link.type, link.email, link.url.startsWith(`${OWN}?`)]).toEqual(['email_change', email, true])
  const { otp_id } = code
  for (const body of [{ email }, { email, otp_id }, { ...byLink, code: code.code }, { ...byLink, ...code }])
    expect(refused(await verify(person, body))).toEqual([400, 'invalid_request'])
  for (const who of [stranger, { me: other }])
    expect(refused(await verify(who, byLink))).toEqual([400, 'token_invalid'])
  expect(refused(await verify(person, { ...byLink, email: newEmail() }))).toEqual([400, 'token_invalid'])
  expect(await press(link)).toBe(400)
  const changed = succeeded(await verify(person, byLink))
  expect(changed).toMatchObject({ user: { email, emailVerified: true }, sessions_revoked: 1 })
  // The session that requested the change stays, the others end, and the old address is notified.
  expect([(await person.me.get('/v1/me')).status, (await other.get('/v1/me')).status]).toEqual([200, 401])
  expect(await noticesTo(person.email)).toBe(1)
  const updated = (await app.events({ accountId: tenant.accountId, type: 'user.updated' })).at(-1)
  expect(updated).toMatchObject({ actor_type: 'user', actor_id: person.id, target_id: person.id })
  expect(refused(await verify(person, byLink))).toEqual([400, 'token_invalid'])
  expect(refused(await verify(person, code))).toEqual([401, 'otp_invalid'])
  expect(await userOf(stranger)).toMatchObject({ email: stranger.email })
})

test('without a page of the application the mail has the code alone, and says whose account asks', async () => {
  const person = await signedIn(world)
  const email = newEmail()
  succeeded(await begin(person, email))
  const [mail] = (await app.mails(email)).filter(({ kind }) => kind === 'email_change_otp')
  expect(mail?.text).not.toContain('http')
  const [name = '', domain] = person.email.split('@')
  expect(mail?.text).toContain(
    `The owner of the account ${name.charAt(0)}•••@${domain} asked to change its email address to this one.`,
  )
})

test('who asks for an address that another asks for, too, neither ends their link nor gets what theirs proves', async () => {
  const [owner, attacker] = [await signedIn(world), await signedIn(world)]
  const first = await asked(owner)
  const second = await asked(attacker, first.email)
  // The owner of the new mailbox follows every link, once signed out and once in their own session.
  for (const { link } of [second, first]) expect(await press(link)).toBe(400)
  expect(refused(await verify(owner, second.byLink))).toEqual([400, 'token_invalid'])
  expect(refused(await verify(owner, second.code))).toEqual([401, 'otp_invalid'])
  const changed = succeeded(await verify(owner, first.byLink))
  expect(changed.user).toMatchObject({ id: owner.id, email: first.email })
  expect(await userOf(attacker)).toMatchObject({ email: attacker.email })
})

test('who owns a mailbox that a stranger asks for gives them nothing, and makes an account of their own with it', async () => {
  const attacker = await signedIn(world)
  const { email, link } = await asked(attacker)
  expect(await press(link)).toBe(400)
  expect(await userOf(attacker)).toMatchObject({ email: attacker.email })
  const { otp_id } = succeeded(await tenant.post('/v1/auth/signup/otp/send', { subOrgId, email, openSignup: true }))
  const code = await mailedCode(app, email)
  succeeded(await tenant.post('/v1/auth/signup/otp/verify', { subOrgId, email, otp_id, code }))
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${email}`))
  expect(users).toMatchObject([{ email, emailVerified: true }])
  expect(users[0].id).not.toBe(attacker.id)
})

test('the code ends the link, and so does another address, a newer request, and time', async () => {
  const [coded, mistaken, late] = [await signedIn(world), await signedIn(world), await signedIn(world)]
  const first = await asked(coded)
  succeeded(await verify(coded, first.code))
  expect(refused(await verify(coded, first.byLink))).toEqual([400, 'token_invalid'])
  const mistyped = await asked(mistaken)
  succeeded(await begin(mistaken, newEmail()))
  expect(refused(await verify(mistaken, mistyped.byLink))).toEqual([400, 'token_invalid'])
  const older = await asked(mistaken)
  const meant = await asked(mistaken, older.email)
  expect(refused(await verify(mistaken, older.byLink))).toEqual([400, 'token_invalid'])
  expect(await userOf(mistaken)).toMatchObject({ email: mistaken.email })
  succeeded(await verify(mistaken, meant.byLink))
  const expiring = await asked(late)
  await app.advance(301)
  expect(refused(await verify(late, expiring.byLink))).toEqual([400, 'token_expired'])
  expect(await userOf(late)).toMatchObject({ email: late.email })
})

test('the link is worth nothing once the session that asked has ended, or its user may not come in', async () => {
  const [left, inactive] = [await signedIn(world), await signedIn(world)]
  const bound = await ownWorld(app, tenant)
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: bound.subOrgId, allowed_redirect_uris: [OWN] }))
  const member = await signedIn(bound)
  const people = [left, inactive, member]
  const changes = await Promise.all(people.map((person) => asked(person)))
  succeeded(await left.me.delete(`/v1/me/sessions/${await sessionOf(left)}`))
  succeeded(await tenant.patch(`/v1/users/${inactive.id}`, { subOrgId, active: false }))
  await enforceSso(bound)
  const statuses = []
  for (const [i, person] of people.entries()) statuses.push((await verify(person, { ...changes[i]?.byLink })).status)
  expect(statuses).toEqual([401, 401, 403])
  for (const person of people) expect((await userOf(person)).email).toBe(person.email)
})

const sessionOf = async ({ me }: OwnPerson): Promise<string> =>
  succeeded(await me.get('/v1/me/sessions')).sessions.find(({ current }: { current: boolean }) => current).id

test('of code and link at two processes at once one passes', async () => {
  const person = await signedIn(world)
  const second = bearing(await startSecondApp(app), person.session.access_token)
  const { email, code, byLink } = await asked(person)
  const replies = await Promise.all([
    verify(person, code),
    verify({ me: second }, byLink),
    verify(person, byLink),
    verify({ me: second }, code),
  ])
  const statuses = replies.map(({ status }) => status).toSorted()
  expect([
    [200, 400, 400, 401],
    [200, 400, 401, 401],
  ]).toContainEqual(statuses)
  expect([await noticesTo(person.email), (await userOf(person)).email]).toEqual([1, email])
})

test('that the address is taken is told only at the proof, and nothing is changed', async () => {
  const [person, owner] = [await signedIn(world), await signedIn(world)]
  const { byLink } = await asked(person, owner.email)
  expect(refused(await verify(person, byLink))).toEqual([409, 'email_exists'])
  expect(await userOf(person)).toMatchObject({ email: person.email })
})
