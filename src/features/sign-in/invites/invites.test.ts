import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newHolder } from '../../../../test/people/passkeys.ts'
import { newEmail, newPendingUser } from '../../../../test/people/people.ts'
import { mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { LANGUAGES } from '../../../platform/messages/language.ts'
import { announceExpiredInvites } from './expiry.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db, platform } = { db: app.app.platform.db, platform: app.app.platform }
const WEEK_SECONDS = 7 * 24 * 3600

const verdict = (reply: Reply) => [reply.status, reply.body.code]

function invite(subOrgId: string, email: string, extra: object = {}) {
  return tenant.post('/v1/users/invites', { subOrgId, email, ...extra })
}

async function shown(subOrgId: string, query = '') {
  return (await tenant.get(`/v1/users/invites?subOrgId=${subOrgId}${query}`)).body.invites
}

async function eventsOf(targetId: string) {
  const events = await app.events({ accountId: tenant.accountId })
  return events.filter((event) => event.target_id === targetId)
}

test('an invitation makes a user with an auth account, a record and a mail', async () => {
  const subOrgId = await tenant.organization()
  const { name } = (await tenant.get(`/v1/organizations/${subOrgId}`)).body.subOrganization
  const email = newEmail()
  const reply = await invite(subOrgId, email.toUpperCase(), { firstName: 'Ada', displayName: 'Ada L' })
  expect(reply.status, reply.text).toBe(200)
  const { user, invite: made, delivery_hint } = reply.body
  expect(user).toMatchObject({
    email: email.toUpperCase(),
    userId: expect.any(String),
    firstName: 'Ada',
    displayName: 'Ada L',
    source: 'invite',
    status: 'invited',
    emailVerified: false,
  })
  expect(delivery_hint).toBe(`${email[0]?.toUpperCase()}•••@EXAMPLE.COM`)
  expect(made).toEqual({
    id: expect.any(String),
    email: user.email,
    status: 'pending',
    user_id: user.userId,
    directory_user_id: user.id,
    invited_by: null,
    sub_org_id: subOrgId,
    created_at: expect.any(String),
    expires_at: expect.any(String),
    accepted_at: null,
    accepted_by: null,
    revoked_at: null,
  })
  expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(WEEK_SECONDS * 1000)
  const mails = await app.mails(user.email)
  expect(mails.map((mail) => [mail.kind, mail.subject])).toEqual([['invite', `You are invited to ${name}`]])
  expect(mails[0]?.text).toContain('The link works once, within 7 days.')
  expect((await mailedLink(app, user.email, 'invite')).type).toBe('invite')
  expect(await shown(subOrgId)).toEqual([made])
  expect(await eventsOf(made.id)).toMatchObject([{ type: 'invite.created', data: made, organization_id: subOrgId }])
  expect((await eventsOf(user.id)).map((event) => event.type)).toEqual(['user.created'])
})

test('whoever has the address is invited as they are', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const before = (await tenant.post('/v1/users', { subOrgId, email, firstName: 'Owner' })).body.user
  const { user } = (await invite(subOrgId, email, { firstName: 'Other' })).body
  expect({ ...user, updatedAt: null }).toEqual({
    ...before,
    userId: expect.any(String),
    status: 'invited',
    updatedAt: null,
  })
})

test('a sign-up that waits for its proof becomes the invited person, with nothing of what a stranger typed', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const sent = { subOrgId, email, openSignup: true, firstName: 'Mallory' }
  await newPendingUser(app.app.platform.db, tenant, { subOrgId, email, firstName: 'Mallory' })
  await tenant.post('/v1/auth/signup/authenticate-email/send', sent)
  const { user } = (await invite(subOrgId, email)).body
  expect(user).toMatchObject({ source: 'invite', firstName: null })
  await app.advance(25 * 3600)
  expect((await tenant.get(`/v1/users/${user.id}`)).body.user).toEqual(user)
})

test('inviting again ends the invitation before', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const first = (await invite(subOrgId, email)).body
  const { token_hash } = await mailedLink(app, email, 'invite')
  const again = await tenant.post(`/v1/users/${first.user.userId}/invite`, { subOrgId })
  expect(again.body).toEqual({
    success: true,
    delivery_hint: first.delivery_hint,
    roles_applied: null,
    can_sign_in: true,
  })
  expect(again.headers.get('x-ratelimit-limit')).toBe('3')
  const [older, newer] = await shown(subOrgId)
  expect([older.status, older.revoked_at !== null, newer.status]).toEqual(['revoked', true, 'pending'])
  expect((await eventsOf(newer.id)).map((event) => event.type)).toEqual(['invite.resent'])
  expect(await app.mails(email)).toHaveLength(2)
  const accept = await tenant.post('/v1/auth/invite/accept', { subOrgId, token: token_hash, password: 'plum tree 9' })
  expect([...verdict(accept), accept.body.detail]).toEqual([
    400,
    'token_invalid',
    'The link was withdrawn or replaced by a newer link.',
  ])
  const unknown = await tenant.post(`/v1/users/${randomUUID()}/invite`, { subOrgId })
  expect(verdict(unknown)).toEqual([404, 'user_not_found'])
})

test('a caller that mails by itself gets the link, with the scope for it alone', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const writer = await tenant.withKey({ scopes: ['users.write'], subOrgId })
  const refused = await writer.post('/v1/users/invites', { email, deliver: false })
  expect([...verdict(refused), refused.body.scope]).toEqual([403, 'insufficient_scope', 'links.issue'])
  const reply = await invite(subOrgId, email, { deliver: false })
  expect(await app.mails(email)).toEqual([])
  const { searchParams, origin, pathname } = new URL(reply.body.invite.invite_url)
  expect([origin + pathname, searchParams.get('email'), searchParams.get('type')]).toEqual([
    'http://localhost:4000/auth/link',
    email,
    'invite',
  ])
  const again = await tenant.post(`/v1/users/${reply.body.user.id}/invite`, { subOrgId, deliver: false })
  expect(again.body.invite_url).toContain('token_hash=')
  expect(JSON.stringify(await shown(subOrgId))).not.toContain(searchParams.get('token_hash'))
})

test('links lead where the settings allow, whatever host a request names', async () => {
  const subOrgId = await tenant.organization()
  await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: ['https://app.acme.com/welcome?a=1'] })
  const email = newEmail()
  const refused = await invite(subOrgId, email, { redirectTo: 'https://app.acme.com/welcome' })
  expect(verdict(refused)).toEqual([400, 'invalid_redirect_uri'])
  expect(await shown(subOrgId)).toEqual([])
  await invite(subOrgId, email, { redirectTo: 'https://app.acme.com/welcome?a=1' })
  const { url } = await mailedLink(app, email, 'invite')
  expect(url.startsWith('https://app.acme.com/welcome?a=1&token_hash=')).toBe(true)
  const other = newEmail()
  const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
  await tenant.post('/v1/users/invites', { subOrgId, email: other }, headers)
  const mail = (await app.mails(other)).at(-1)
  expect((await mailedLink(app, other, 'invite')).url.startsWith('http://localhost:4000/auth/link?')).toBe(true)
  expect(`${mail?.text}${mail?.html}`).not.toContain('evil')
})

test('nobody is invited who could not come in', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { user } = (await tenant.post('/v1/users', { subOrgId, email })).body
  await tenant.patch(`/v1/users/${user.id}`, { subOrgId, active: false })
  // The number of attempts does not matter, because refused invitations are not counted.
  for (const _ of [1, 2, 3, 4]) expect(verdict(await invite(subOrgId, email))).toEqual([403, 'user_inactive'])
  const setServices = (enabledAppIds: string[]) => tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds })
  await setServices(['auth', 'scim'])
  expect(verdict(await invite(subOrgId, newEmail()))).toEqual([403, 'method_disabled'])
  expect(verdict(await tenant.post(`/v1/users/${user.id}/invite`, { subOrgId }))).toEqual([403, 'method_disabled'])
  await setServices(['scim'])
  expect(verdict(await invite(subOrgId, newEmail()))).toEqual([403, 'service_disabled'])
  await setServices(['auth', 'otp'])
  await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'suspended' })
  expect(verdict(await invite(subOrgId, newEmail()))).toEqual([403, 'organization_suspended'])
  expect(verdict(await invite(subOrgId, 'nobody'))).toEqual([400, 'invalid_request'])
  expect(await shown(subOrgId)).toEqual([])
  expect((await tenant.get(`/v1/users?subOrgId=${subOrgId}`)).body.users).toHaveLength(1)
})

test('an address is invited three times a minute', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  for (const _ of [1, 2, 3]) expect((await invite(subOrgId, email)).status).toBe(200)
  const refused = await invite(subOrgId, email.toUpperCase())
  expect([...verdict(refused), refused.headers.has('retry-after')]).toEqual([429, 'rate_limited', true])
  await app.advance(61)
  expect((await invite(subOrgId, email)).status).toBe(200)
})

test('withdrawing an invitation ends its link and keeps the user', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { user, invite: made } = (await invite(subOrgId, email)).body
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  const path = `/v1/users/invites/${made.id}?subOrgId=${subOrgId}`
  const revoked = await tenant.delete(path)
  expect(revoked.body).toEqual({
    success: true,
    invite: { ...made, status: 'revoked', revoked_at: expect.any(String) },
  })
  expect(verdict(await tenant.post('/v1/auth/invite/accept', { subOrgId, token, password: 'plum tree 9' }))).toEqual([
    400,
    'token_invalid',
  ])
  expect((await tenant.get(`/v1/users/${user.id}`)).body.user.status).toBe('active')
  expect((await tenant.delete(path)).body).toEqual(revoked.body)
  expect((await eventsOf(made.id)).map((event) => event.type)).toEqual(['invite.created', 'invite.revoked'])
  for (const id of [randomUUID(), 'nothing'])
    expect(verdict(await tenant.delete(`/v1/users/invites/${id}?subOrgId=${subOrgId}`))).toEqual([
      404,
      'invite_not_found',
    ])
})

test('an invitation that nobody accepted expires, which is told once', async () => {
  const subOrgId = await tenant.organization()
  const [late, early] = [newEmail(), newEmail()]
  await tenant.patch('/v1/auth/settings', { subOrgId, invite_ttl_seconds: 3600 })
  const expired = (await invite(subOrgId, late)).body.invite
  const revoked = (await invite(subOrgId, early)).body.invite
  await tenant.delete(`/v1/users/invites/${revoked.id}?subOrgId=${subOrgId}`)
  const { token_hash: token } = await mailedLink(app, late, 'invite')
  await app.advance(3601)
  const accept = () => tenant.post('/v1/auth/invite/accept', { subOrgId, token, password: 'plum tree 9' })
  // The job that records expiries has not run.
  expect(verdict(await accept())).toEqual([400, 'token_expired'])
  expect((await shown(subOrgId, `&email=${late}`))[0].status).toBe('expired')
  for (const _ of [1, 2]) await announceExpiredInvites.handle(platform, {}, 1)
  const told = (await eventsOf(expired.id)).filter((event) => event.type === 'invite.expired')
  expect(told).toMatchObject([{ actor_type: 'system', data: { ...expired, status: 'expired' } }])
  expect((await eventsOf(revoked.id)).map((event) => event.type)).not.toContain('invite.expired')
  expect(verdict(await accept())).toEqual([400, 'token_expired'])
  expect(await shown(subOrgId, '&status=expired')).toEqual([{ ...expired, status: 'expired' }])
  const over = await tenant.delete(`/v1/users/invites/${expired.id}?subOrgId=${subOrgId}`)
  expect(over.body.invite.status).toBe('expired')
})

test('invitations are listed by status, address and page, of one organization or of all', async () => {
  const own = await app.tenant()
  const [one, two] = [await own.organization(), await own.organization()]
  const emails = [newEmail(), newEmail(), newEmail()]
  for (const email of emails) await own.post('/v1/users/invites', { subOrgId: one, email })
  const elsewhere = (await own.post('/v1/users/invites', { subOrgId: two, email: emails[0] })).body.invite
  const list = async (query: string) => (await own.get(`/v1/users/invites?${query}`)).body
  expect((await list(`subOrgId=${one}`)).invites.map((each: { email: string }) => each.email)).toEqual(emails)
  const first = await list(`subOrgId=${one}&limit=2&include_total=true`)
  expect([first.invites.length, first.has_more, first.total]).toEqual([2, true, 3])
  const rest = await list(`subOrgId=${one}&limit=2&cursor=${first.next_cursor}`)
  expect([rest.invites.map((each: { email: string }) => each.email), rest.has_more]).toEqual([[emails[2]], false])
  const everywhere = await list(`email=${emails[0]?.toUpperCase()}&order=desc`)
  expect(everywhere.invites.map((each: { sub_org_id: string }) => each.sub_org_id)).toEqual([two, one])
  expect(everywhere.invites[0]).toEqual(elsewhere)
  expect((await list('email=nobody')).invites).toEqual([])
  await own.delete(`/v1/users/invites/${elsewhere.id}?subOrgId=${two}`)
  expect((await list('status=pending')).invites).toHaveLength(3)
  expect((await list('status=revoked')).invites).toHaveLength(1)
  expect(await db.selectFrom('links').select('id').where('id', '=', elsewhere.id).execute()).toHaveLength(1)
})

test('somebody with a password is asked to sign in', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { user } = (await tenant.post('/v1/users', { subOrgId, email })).body
  await signIn(app, tenant, subOrgId, email)
  await tenant.put(`/v1/users/${user.id}/password`, { subOrgId, password: 'correct horse battery' })
  const reply = await invite(subOrgId, email)
  expect([reply.status, reply.body.user.status]).toEqual([200, 'active'])
  const mail = (await app.mails(email)).at(-1)
  expect(mail?.text).toContain('sign in with your password')
})

test('one with a passkey alone is asked to sign in, without a word of a password', async () => {
  const { subOrgId, userId, email } = await newHolder(tenant, await tenant.organization())
  expect((await tenant.post(`/v1/users/${userId}/invite`, { subOrgId })).status).toBe(200)
  const mail = (await app.mails(email)).at(-1)
  expect(mail?.text).toContain('sign in as you always do')
  expect(`${mail?.subject}${mail?.html}`).not.toMatch(/password/i)
})

test('the inviter is named, kept with the invitation, and told by its events', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { name: 'Acme' }))
  const email = newEmail()
  const { user, invite: made } = (await invite(subOrgId, email, { invitedBy: 'Grace Hopper' })).body
  const subjects = async () => (await app.mails(email)).map(({ subject }) => subject)
  expect(made.invited_by).toBe('Grace Hopper')
  expect(await subjects()).toEqual(['Grace Hopper invited you to Acme'])
  const again = (body: object) => tenant.post(`/v1/users/${user.id}/invite`, { subOrgId, ...body })
  await again({})
  await again({ invitedBy: 'Ada Lovelace' })
  await app.advance(61)
  await invite(subOrgId, email)
  await invite(subOrgId, email, { invitedBy: null })
  await again({})
  const names = ['Grace Hopper', 'Grace Hopper', 'Ada Lovelace', 'Ada Lovelace', null, null]
  expect((await shown(subOrgId)).map((each: { invited_by: string | null }) => each.invited_by)).toEqual(names)
  expect(await subjects()).toEqual(
    names.map((name) => (name === null ? 'You are invited to Acme' : `${name} invited you to Acme`)),
  )
  const told = await Promise.all((await shown(subOrgId)).map(({ id }: { id: string }) => eventsOf(id)))
  expect(told).toMatchObject(
    names.map((invited_by, n) => [{ type: n ? 'invite.resent' : 'invite.created', data: { invited_by } }]),
  )
  // The last invitation was withdrawn, so the next one is new.
  const [last] = (await shown(subOrgId)).slice(-1)
  await app.advance(61)
  await again({ invitedBy: 'Grace Hopper' })
  const newest = (await shown(subOrgId)).at(-1)
  expect(last.id).not.toBe(newest.id)
  expect((await tenant.delete(`/v1/users/invites/${newest.id}?subOrgId=${subOrgId}`)).body.invite).toMatchObject({
    invited_by: 'Grace Hopper',
    status: 'revoked',
  })
  expect((await invite(subOrgId, email)).body.invite.invited_by).toBeNull()
})

test('an invitation that its user needs no longer is recorded with its inviter', async () => {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const { invite: made } = (await invite(subOrgId, email, { invitedBy: 'Grace Hopper' })).body
  await signIn(app, tenant, subOrgId, email)
  expect(await eventsOf(made.id)).toMatchObject([
    { type: 'invite.created', data: { invited_by: 'Grace Hopper' } },
    { type: 'invite.accepted', data: { invited_by: 'Grace Hopper' } },
  ])
})

test.each(['', ' ', 'x'.repeat(201), 'Ada\r\nBcc: all@example.com', 'Ada\u202e', 7, { name: 'Ada' }])(
  'an invitation by %j is refused',
  async (invitedBy) => {
    const subOrgId = await tenant.organization()
    expect(verdict(await invite(subOrgId, newEmail(), { invitedBy }))).toEqual([400, 'invalid_request'])
    expect(await shown(subOrgId)).toEqual([])
  },
)

test.each(LANGUAGES)('names of the mail are plain text (%s)', async (locale) => {
  const subOrgId = await tenant.organization()
  const name = '<a href="https://evil.example">Acme</a> www.evil.example'
  const invitedBy = '<b>Ada</b> https://phish.example/login ada@phish.example {brand}'
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { name }))
  for (const off of [false, true]) {
    const email = newEmail()
    await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: !off })
    succeeded(await invite(subOrgId, email, { invitedBy, locale }))
    const mail = (await app.mails(email)).at(-1)
    const { url } = await mailedLink(app, email, 'invite')
    const whole = `${mail?.subject}\n${mail?.text}\n${mail?.html}`
    for (const said of [mail?.subject, mail?.text, mail?.html]) {
      expect(said?.replaceAll('\u2060', '')).toContain('evil.example')
      expect(said?.replaceAll('\u2060', '')).toContain('phish.example')
    }
    expect(mail?.subject).not.toMatch(/[\r\n]/)
    expect(mail?.html).not.toMatch(/<b>|<a href="https:\/\/evil/)
    // Texts that a mail program turns into links: a URL, a host name, an email address.
    const links = whole.match(/https?:\/\/[^\s<"]+|www\.[^\s<"]+|[a-z]+\.example|[a-z]+@[a-z]+/g) ?? []
    const own = [url, url.replaceAll('&', '&amp;')]
    expect(links.filter((link) => !own.some((each) => each.includes(link)))).toEqual([])
    // The inviter's name contains the placeholder, which must not be filled in.
    expect(mail?.subject).toContain('{brand}')
    expect(whole.replace(/<style>.*<\/style>/s, '').replaceAll('{brand}', '')).not.toMatch(/[{}]/)
  }
})

test('a subject of the organization replaces that of the mail, whose heading still names both', async () => {
  const subOrgId = await tenant.organization()
  succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { name: 'Acme' }))
  const subjects = { invite: 'Join {brand}' }
  succeeded(await tenant.patch('/v1/mail/settings', { subOrgId, brand_name: 'Rocket', subjects }))
  const email = newEmail()
  await invite(subOrgId, email, { invitedBy: 'Ada' })
  const mail = (await app.mails(email)).at(-1)
  expect(mail?.subject).toBe('Join Rocket')
  expect(mail?.text).toContain('Ada invited you to Acme')
  expect(mail?.text).toContain('Rocket has created an account for you.')
})

test('an invitation is read by its id, within reach', async () => {
  const owner = await app.tenant()
  const subOrgId = await owner.organization()
  const { invite } = (await owner.post('/v1/users/invites', { subOrgId, email: 'read-by-id@example.com' })).body
  const at = `/v1/users/invites/${invite.id}`
  expect((await owner.get(at)).body).toEqual({ invite })
  const other = await owner.withKey({ subOrgId: await owner.organization() })
  for (const caller of [other, await app.tenant(), await owner.withKey({ environment: 'staging' })])
    expect((await caller.get(at)).body.code).toBe('invite_not_found')
})
