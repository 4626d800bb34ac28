import { expect, test } from 'vitest'
import { succeeded } from '../../../test/factors.ts'
import { startApp } from '../../../test/harness.ts'
import { bearing, enforceSso, type OwnPerson, ownWorld, signedIn, signInAgain } from '../../../test/own-world.ts'
import { newEmail } from '../../../test/people.ts'
import { startSecondApp } from '../../../test/second-app.ts'
import { type MailedLink, mailedCode, mailedLink } from '../../../test/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()
const world = await ownWorld(app, tenant)
const { subOrgId } = world
const OWN = 'https://app.example.com/new-address'

const begin = (person: OwnPerson, email: string, more: object = {}) =>
  person.me.post('/v1/me/email', { email, ...more })
const verify = (person: Pick<OwnPerson, 'me'>, body: object) => person.me.post('/v1/me/email/verify', body)
const refused = (reply: { status: number; body: { code: string } }) => [reply.status, reply.body.code]
const userOf = async ({ id }: { id: string }) => (await tenant.get(`/v1/users/${id}`)).body.user

/** A change that has been asked for: what its mail brings. */
async function asked(person: OwnPerson, email = newEmail(), more: object = {}) {
  const { otp_id } = succeeded(await begin(person, email, more))
  const link = await mailedLink(app, email, 'email_change_otp')
  return { email, otp_id, code: await mailedCode(app, email), link }
}

/** What the button of the page does. */
async function press({ token_hash, email }: MailedLink, baseUrl = app.baseUrl) {
  const body = new URLSearchParams({ token_hash, email, type: 'email_change' })
  const reply = await fetch(`${baseUrl}/auth/link`, { method: 'POST', body, redirect: 'manual' })
  return { status: reply.status, html: await reply.text() }
}

test('the link on the page of the service proves the new address as the code does, and ends with it', async () => {
  const person = await signedIn(world)
  const other = bearing(app, (await signInAgain(person)).access_token)
  const { email, otp_id, code, link } = await asked(person)
  expect([link.type, link.email, new URL(link.url).pathname]).toEqual(['email_change', email, '/auth/link'])
  const opened = await fetch(link.url.replace('http://localhost:4000', app.baseUrl))
  expect([opened.status, (await userOf(person)).email]).toEqual([200, person.email])
  const pressed = await press(link)
  expect([pressed.status, pressed.html.includes('The address is yours')]).toEqual([200, true])
  expect(await userOf(person)).toMatchObject({ email, emailVerified: true })
  // The session that asked stays, the others end, and the old address is told.
  expect([(await person.me.get('/v1/me')).status, (await other.get('/v1/me')).status]).toEqual([200, 401])
  expect((await app.mails(person.email)).filter(({ kind }) => kind === 'own_email_changed')).toHaveLength(1)
  const updated = (await app.events({ accountId: tenant.accountId, type: 'user.updated' })).at(-1)
  expect(updated).toMatchObject({ actor_type: 'user', actor_id: person.id, target_id: person.id })
  expect(refused(await verify(person, { email, otp_id, code }))).toEqual([401, 'otp_invalid'])
  expect((await press(link)).status).toBe(400)
})

test('a page of the application hands it to whoever asked, and to nobody else', async () => {
  const [person, stranger] = [await signedIn(world), await signedIn(world)]
  expect(refused(await begin(person, newEmail(), { redirectTo: OWN }))).toEqual([400, 'invalid_redirect_uri'])
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [OWN] }))
  const { email, otp_id, code, link } = await asked(person, newEmail(), { redirectTo: OWN })
  expect(link.url.startsWith(`${OWN}?`)).toBe(true)
  const { token_hash } = link
  for (const body of [{ email }, { email, otp_id }, { email, code, token_hash }, { email, otp_id, code, token_hash }])
    expect(refused(await verify(person, body))).toEqual([400, 'invalid_request'])
  expect(refused(await verify(stranger, { email, token_hash }))).toEqual([400, 'token_invalid'])
  expect(refused(await verify(person, { email: newEmail(), token_hash }))).toEqual([400, 'token_invalid'])
  const changed = succeeded(await verify(person, { email, token_hash }))
  expect(changed).toMatchObject({ user: { email, emailVerified: true }, sessions_revoked: 0 })
  expect(refused(await verify(person, { email, token_hash }))).toEqual([400, 'token_invalid'])
  expect(refused(await verify(person, { email, otp_id, code }))).toEqual([401, 'otp_invalid'])
  expect(await userOf(stranger)).toMatchObject({ email: stranger.email })
})

test('the code ends the link, and so does another address, a newer request, and time', async () => {
  const [coded, mistaken, late] = [await signedIn(world), await signedIn(world), await signedIn(world)]
  const first = await asked(coded)
  succeeded(await verify(coded, { email: first.email, otp_id: first.otp_id, code: first.code }))
  expect((await press(first.link)).status).toBe(400)
  const mistyped = await asked(mistaken)
  const meant = await asked(mistaken)
  expect((await press(mistyped.link)).status).toBe(400)
  expect(await userOf(mistaken)).toMatchObject({ email: mistaken.email })
  expect((await press(meant.link)).status).toBe(200)
  const expiring = await asked(late)
  await app.advance(301)
  expect((await press(expiring.link)).status).toBe(400)
  expect(await userOf(late)).toMatchObject({ email: late.email })
})

test('the link is worth nothing once the session that asked has ended, or its user may not come in', async () => {
  const [left, inactive] = [await signedIn(world), await signedIn(world)]
  const bound = await ownWorld(app, tenant)
  const member = await signedIn(bound)
  const changes = [await asked(left), await asked(inactive), await asked(member)]
  succeeded(await left.me.delete(`/v1/me/sessions/${await sessionOf(left)}`))
  succeeded(await tenant.patch(`/v1/users/${inactive.id}`, { subOrgId, active: false }))
  await enforceSso(bound)
  const statuses = []
  for (const { link } of changes) statuses.push((await press(link)).status)
  expect(statuses).toEqual([400, 400, 403])
  for (const person of [left, inactive, member]) expect((await userOf(person)).email).toBe(person.email)
})

const sessionOf = async ({ me }: OwnPerson): Promise<string> =>
  succeeded(await me.get('/v1/me/sessions')).sessions.find(({ current }: { current: boolean }) => current).id

test('of code and link at two processes at once one passes', async () => {
  const person = await signedIn(world)
  const second = await startSecondApp(app)
  const { email, otp_id, code, link } = await asked(person)
  const replies = await Promise.all([
    verify(person, { email, otp_id, code }),
    press(link, second.baseUrl),
    press(link),
    verify(person, { email, token_hash: link.token_hash }),
  ])
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  const notices = (await app.mails(person.email)).filter(({ kind }) => kind === 'own_email_changed')
  expect([notices.length, (await userOf(person)).email]).toEqual([1, email])
})

test('that the address is taken is told on the page, and nothing is changed', async () => {
  const [person, owner] = [await signedIn(world), await signedIn(world)]
  const { link } = await asked(person, owner.email)
  const pressed = await press(link)
  expect([pressed.status, pressed.html.includes('This address is taken')]).toEqual([409, true])
  expect(await userOf(person)).toMatchObject({ email: person.email })
})
