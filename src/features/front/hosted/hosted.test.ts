import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { mailLinkTo, organizationLinkTypes, type Person } from '../../../../test/people/mailed-links.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { type MailedLink, mailedLink, signIn } from '../../../../test/people/sign-in.ts'
import { snapshot } from '../../../../test/snapshot.ts'

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'correct horse battery staple'
const HOME = 'https://app.acme.example/auth?from=mail'
const ELSEWHERE = 'https://other.acme.example/auth'

/** Opens a link as a browser does. Returns the status, the heading and the text. */
async function open(url: string) {
  return seen(await fetch(url.replace('http://localhost:4000', app.baseUrl)))
}

/** Requests the page with another host name, which fetch does not allow. */
async function openAs(host: string, url: string): Promise<string> {
  const { searchParams } = new URL(url)
  const headers = { host, 'x-forwarded-host': host, forwarded: `host=${host}` }
  const asked = request(`${app.baseUrl}/auth/link?${searchParams}`, { headers }).end()
  const [response] = await once(asked, 'response')
  return text(response)
}

/** Presses the button on a link's page. */
async function press(link: MailedLink, fields: Record<string, string> = {}) {
  const { token_hash, email, type } = link
  const body = new URLSearchParams({ token_hash, email, type, ...fields })
  const headers = { 'user-agent': 'Test browser' }
  return seen(await fetch(`${app.baseUrl}/auth/link`, { method: 'POST', body, headers, redirect: 'manual' }))
}

async function seen(response: Response) {
  const html = await response.text()
  const title = /<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? ''
  const text = html
    .replace(/<style>.*<\/style>/s, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
  return { status: response.status, title, text, html, headers: response.headers }
}

const sessionsIn = async (subOrgId: string) => (await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`)).body.users
const login = ({ subOrgId, email }: Person, password = PASSWORD) =>
  tenant.post('/v1/auth/login/password', { subOrgId, email, password })
const userOf = async (person: Person) => (await tenant.get(`/v1/users/${person.userId}`)).body.user
const useHome = (subOrgId: string) => tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [HOME] })

test.each(organizationLinkTypes)('%s: whoever opens the link, or scans it, changes nothing', async (type) => {
  const { person, link } = await mailLinkTo(app, tenant, type)
  await useHome(person.subOrgId)
  const before = await snapshot(app)
  const pages = [await open(link.url), await open(link.url), await open(link.url)]
  const head = await fetch(link.url.replace('http://localhost:4000', app.baseUrl), { method: 'HEAD' })
  expect([...pages.map((page) => page.status), head.status]).toEqual([200, 200, 200, 200])
  const forged = await openAs('evil.example', link.url)
  expect(new Set([...pages.map((page) => page.html), forged]).size).toBe(1)
  expect(pages[0]?.html).toContain(`name="token_hash" value="${link.token_hash}"`)
  expect(pages[0]?.html).not.toMatch(/<script|evil/)
  expect(pages[0]?.headers.get('referrer-policy')).toBe('no-referrer')
  expect(await snapshot(app)).toEqual(before)
  const pressed = await press(link, { password: PASSWORD })
  expect([200, 303]).toContain(pressed.status)
})

test('the accent color of the organization colors its pages, and none colors the others', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'recovery')
  expect((await open(link.url)).html).not.toContain('/assets/accent')
  await tenant.patch('/v1/mail/settings', { subOrgId: person.subOrgId, accent_color: '#0B5FFF' })
  const [, sheet = ''] =
    /<link rel="stylesheet" href="(\/assets\/accent-0b5fff\.[\da-f]{16}\.css)">/.exec((await open(link.url)).html) ?? []
  const response = await fetch(app.baseUrl + sheet)
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
  expect(await response.text()).toContain(':root{--accent:#0b5fff;--on-accent:#ffffff;--link:#0b5fff}')
  const other = await mailLinkTo(app, tenant, 'recovery')
  expect((await open(other.link.url)).html).not.toContain('/assets/accent')
})

test.each(['magiclink', 'signup'] as const)(
  '%s: the button hands the link to the application, unspent',
  async (type) => {
    const { person, link } = await mailLinkTo(app, tenant, type)
    const { subOrgId, email } = person
    await useHome(subOrgId)
    const page = await open(link.url)
    expect(page.text).toContain('Continue to app.acme.example')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://app.acme.example")
    const before = await snapshot(app)
    const pressed = await press(link)
    const target = new URL(pressed.headers.get('location') ?? '')
    expect([pressed.status, target.origin + target.pathname]).toEqual([303, 'https://app.acme.example/auth'])
    expect(Object.fromEntries(target.searchParams)).toEqual({
      from: 'mail',
      token_hash: link.token_hash,
      email,
      type,
      org_id: subOrgId,
    })
    expect(await snapshot(app)).toEqual(before)
    const path = type === 'signup' ? '/v1/auth/signup/authenticate-email/verify' : '/v1/auth/login/magic-link/verify'
    const redeemed = await tenant.post(path, { subOrgId, email, token_hash: link.token_hash })
    expect(redeemed.status, redeemed.text).toBe(200)
    const after = await open(link.url)
    expect([after.status, after.title]).toEqual([400, 'This link was already used'])
  },
)

test.each(organizationLinkTypes)(
  '%s: the page takes the organization from the token, not from org_id',
  async (type) => {
    const { person, link } = await mailLinkTo(app, tenant, type)
    await useHome(person.subOrgId)
    const other = await tenant.organization()
    await tenant.patch('/v1/mail/settings', { subOrgId: other, brand_name: 'Another Brand' })
    await tenant.patch('/v1/auth/settings', { subOrgId: other, allowed_redirect_uris: [ELSEWHERE] })
    const eventsOfOther = async () =>
      (await app.events({ accountId: tenant.accountId })).filter((event) => event.organization_id === other)
    const before = await eventsOfOther()
    const genuine = await open(link.url)
    for (const forged of [other, '', 'team', '../x"><script>']) {
      const url = new URL(link.url)
      url.searchParams.set('org_id', forged)
      const page = await open(url.href)
      expect([page.status, page.html]).toEqual([200, genuine.html])
    }
    const pressed = await press(link, { password: PASSWORD, org_id: other })
    expect([200, 303]).toContain(pressed.status)
    const location = pressed.headers.get('location')
    if (location !== null) expect(new URL(location).searchParams.get('org_id')).toBe(person.subOrgId)
    expect(await eventsOfOther()).toEqual(before)
  },
)

test('without an address of the application the page says what is missing, and how to redeem the link meanwhile', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'magiclink')
  for (const page of [await open(link.url), await press(link)]) {
    expect(page.status).toBe(200)
    expect(page.text).toContain('allowed_redirect_uris')
    expect(page.text).toContain('curl http://localhost:4000/v1/auth/login/magic-link/verify')
    expect(page.html).not.toContain('<form')
  }
  const command = /-d &#39;(\{.*\})&#39;/.exec((await open(link.url)).html)?.[1] ?? ''
  const body = JSON.parse(command.replaceAll('&quot;', '"'))
  expect(body).toEqual({ subOrgId: person.subOrgId, email: person.email, token_hash: link.token_hash })
})

test.each<[string, object, string | null]>([
  ['one entry', { allowed_redirect_uris: [HOME] }, HOME],
  ['several entries', { allowed_redirect_uris: [ELSEWHERE, HOME] }, null],
  ['a home among several', { allowed_redirect_uris: [ELSEWHERE, HOME], default_redirect_uri: HOME }, HOME],
  ['a home that is no entry', { allowed_redirect_uris: [ELSEWHERE], default_redirect_uri: HOME }, null],
])('a link without redirectTo is not led where nobody said: %s', async (_, settings, home) => {
  const { person, link } = await mailLinkTo(app, tenant, 'magiclink')
  const { subOrgId, email } = person
  expect((await tenant.patch('/v1/auth/settings', { subOrgId, ...settings })).status).toBe(200)
  const location = (await press(link)).headers.get('location')
  expect(location?.startsWith(home ?? 'nowhere')).toBe(home === null ? undefined : true)
  const page = await open(link.url)
  if (home === null) expect(page.text).toContain('default_redirect_uri')
  expect(page.html).not.toContain(new URL(ELSEWHERE).host)
  const body = { subOrgId, email, token_hash: link.token_hash }
  expect((await tenant.post('/v1/auth/login/magic-link/verify', body)).status).toBe(200)
})

test('invite: a password is set and the mailbox proved, and nobody holds a session', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'invite')
  await useHome(person.subOrgId)
  expect((await open(link.url)).text).toContain('At least 8 characters')
  const before = await snapshot(app)
  const short = await press(link, { password: 'short' })
  expect([short.status, short.title]).toEqual([422, 'Choose a password'])
  expect(short.html).toContain('role="alert">Use at least 8 characters.')
  expect(short.html).toMatch(/type="password"[^>]* autofocus/)
  const listed = await press(link, { password: 'password123' })
  expect([listed.status, listed.text.includes('list of common and stolen passwords')]).toEqual([422, true])
  expect((await press(link)).status).toBe(422)
  expect(`${short.html}${listed.html}`).not.toMatch(/password123|value="short"/)
  expect(await snapshot(app)).toEqual(before)
  const done = await press(link, { password: PASSWORD })
  expect([done.status, done.title]).toEqual([200, 'Welcome'])
  expect(done.html).toContain('href="https://app.acme.example/"')
  expect(await sessionsIn(person.subOrgId)).toEqual([])
  expect(await userOf(person)).toMatchObject({ emailVerified: true, status: 'active', userId: expect.any(String) })
  expect((await press(link, { password: PASSWORD })).title).toBe('This link was already used')
  expect((await login(person)).status).toBe(200)
  const events = (await app.events({ accountId: tenant.accountId })).slice(-5)
  expect(events.slice(0, 3)).toMatchObject([
    { type: 'user.email_verified', actor_type: 'user', actor_id: person.userId },
    { type: 'invite.accepted', actor_type: 'user', actor_id: person.userId, organization_id: person.subOrgId },
    { type: 'auth.login.failed', target_id: person.userId, data: { method: 'invite', reason: 'token_invalid' } },
  ])
})

test('invite: where passwords are off, the button alone accepts, and no session begins', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'invite')
  const { subOrgId } = person
  const setPasswords = (isOn: boolean) => tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: isOn })
  const asked = await open(link.url)
  expect([asked.status, asked.html.includes('type="password"')]).toEqual([200, true])
  await setPasswords(false)
  const before = await snapshot(app)
  const shown = await open(link.url)
  expect([shown.status, shown.title]).toEqual([200, 'Accept the invitation'])
  // The page with the password field was open when passwords were turned off.
  const stale = await press(link, { password: PASSWORD })
  expect([stale.status, stale.title]).toEqual([200, 'Accept the invitation'])
  expect(await snapshot(app)).toEqual(before)
  await setPasswords(true)
  // The page with only the button was open when passwords were turned on.
  const bare = await press(link)
  expect([bare.status, bare.title, bare.html.includes('type="password"')]).toEqual([422, 'Choose a password', true])
  await setPasswords(false)
  const done = await press(link)
  expect([done.status, done.title]).toEqual([200, 'Welcome'])
  const used = await press(link)
  expect(used.title).toBe('This link was already used')
  for (const page of [shown, stale, done, used]) expect(page.html).not.toMatch(/password/i)
  expect(await sessionsIn(subOrgId)).toEqual([])
  expect(await userOf(person)).toMatchObject({ emailVerified: true, status: 'active' })
  await setPasswords(true)
  expect((await login(person)).body.code).toBe('invalid_credentials')
  expect((await signIn(app, tenant, subOrgId, person.email)).user_id).toBeTruthy()
})

test('invite: whoever has a password by now is asked to sign in', async () => {
  const { person } = await mailLinkTo(app, tenant, 'invite')
  const { subOrgId, email, userId } = person
  await signIn(app, tenant, subOrgId, email)
  await tenant.put(`/v1/users/${userId}/password`, { subOrgId, password: PASSWORD })
  await tenant.post(`/v1/users/${userId}/invite`, { subOrgId })
  const link = await mailedLink(app, email, 'invite')
  for (const page of [await open(link.url), await press(link, { password: 'another good sentence' })])
    expect([page.status, page.title]).toEqual([409, 'You already have an account'])
  expect((await login(person)).status).toBe(200)
})

test('recovery: another password is set, every session ends, and nobody holds a new one', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'recovery')
  await tenant.put(`/v1/users/${person.userId}/password`, { subOrgId: person.subOrgId, password: 'the old sentence' })
  await tenant.post('/v1/auth/password/reset/send', { subOrgId: person.subOrgId, email: person.email })
  expect((await press(link, { password: PASSWORD })).title).toBe('This link is no longer valid')
  const fresh = await mailedLink(app, person.email, 'password_reset')
  expect((await login(person, 'the old sentence')).status).toBe(200)
  expect((await press(fresh, { password: 'short' })).status).toBe(422)
  const done = await press(fresh, { password: PASSWORD })
  expect([done.status, done.title]).toEqual([200, 'Your password was changed'])
  expect(await sessionsIn(person.subOrgId)).toEqual([])
  expect((await login(person, 'the old sentence')).status).toBe(401)
  expect((await login(person)).status).toBe(200)
  expect((await app.mails(person.email)).map((mail) => mail.kind)).toContain('password_changed')
})

test('verification: the button confirms the address', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'verification')
  expect((await open(link.url)).html).not.toContain('type="password"')
  const done = await press(link)
  expect([done.status, done.title]).toEqual([200, 'Your email address is confirmed'])
  expect(done.text).not.toContain('password')
  expect(await userOf(person)).toMatchObject({ emailVerified: true })
  expect(await sessionsIn(person.subOrgId)).toEqual([])
})

test.each([
  ['entered stays', { password: PASSWORD }, 200],
  ['removed goes', { remove_password: 'yes' }, 401],
  ['removed goes, whatever is in the field', { remove_password: 'yes', password: PASSWORD }, 401],
])('verification: a password of before that is %s', async (_, fields, status) => {
  const person = { subOrgId: await tenant.organization(), email: newEmail(), userId: null }
  await tenant.post('/v1/auth/signup/password', { ...person, userId: undefined, password: PASSWORD, openSignup: true })
  const link = await mailedLink(app, person.email, 'email_verification')
  const shown = await open(link.url)
  expect(shown.text).toMatch(/Confirm and keep my password Confirm and remove the password/)
  expect(shown.html).not.toContain('autofocus')
  for (const password of ['not the password', '']) {
    const refused = await press(link, { password })
    expect([refused.status, refused.title]).toEqual([422, 'Confirm your email address'])
    expect(refused.html).toMatch(/type="password"[^>]* autofocus aria-invalid="true"[\s\S]*role="alert"/)
  }
  const done = await press(link, fields)
  expect([done.status, done.text.includes('was removed')]).toEqual([200, status === 401])
  expect((await login(person)).status).toBe(status)
})

test('verification: a password that an administrator set stays, and is not asked for', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'verification')
  await tenant.put(`/v1/users/${person.userId}/password`, { subOrgId: person.subOrgId, password: PASSWORD })
  await tenant.post(`/v1/users/${person.userId}/verify/resend`, { subOrgId: person.subOrgId })
  const again = await mailedLink(app, person.email, 'email_verification')
  expect(again.url).not.toBe(link.url)
  expect((await open(again.url)).html).not.toContain('type="password"')
  const done = await press(again)
  expect([done.status, done.text.includes('was removed')]).toEqual([200, false])
  expect((await login(person)).status).toBe(200)
})

test('unlock: the button ends the lock', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'unlock')
  await tenant.put(`/v1/users/${person.userId}/password`, { subOrgId: person.subOrgId, password: PASSWORD })
  // Setting a password as an administrator ends the lock, and therefore the link.
  expect((await login(person)).status).toBe(200)
  for (const _ of [1, 2, 3]) await login(person, 'not the password')
  expect((await press(link)).title).toBe('This link is no longer valid')
  const fresh = await mailedLink(app, person.email, 'account_locked')
  expect((await userOf(person)).status).toBe('locked')
  const done = await press(fresh)
  expect([done.status, done.title]).toEqual([200, 'Your account is unlocked'])
  expect((await userOf(person)).status).toBe('active')
  expect((await login(person)).status).toBe(200)
  const [last] = (await app.events({ accountId: tenant.accountId, type: 'user.unlocked' })).slice(-1)
  expect(last).toMatchObject({ target_id: person.userId, actor_type: 'user', actor_id: person.userId })
  expect((await press(fresh)).title).toBe('This link was already used')
})

test.each(organizationLinkTypes)(
  '%s: a link that came too late, or whose organization is suspended, says so',
  async (type) => {
    const { person, link } = await mailLinkTo(app, tenant, type)
    await tenant.patch(`/v1/organizations/${person.subOrgId}`, { status: 'suspended' })
    for (const page of [await open(link.url), await press(link, { password: PASSWORD })])
      expect([page.status, page.title]).toEqual([403, 'Sign-in is closed'])
    await tenant.patch(`/v1/organizations/${person.subOrgId}`, { status: 'active' })
    await app.advance(8 * 24 * 3600)
    const before = await snapshot(app, { failedSignIns: false })
    for (const page of [await open(link.url), await press(link, { password: PASSWORD })])
      expect([page.status, page.title]).toEqual([400, 'This link has expired'])
    expect(await snapshot(app, { failedSignIns: false })).toEqual(before)
  },
)

test.each(organizationLinkTypes)('%s: what is switched off, and other links, say so and do nothing', async (type) => {
  const { person, link } = await mailLinkTo(app, tenant, type)
  const stranger = await mailLinkTo(app, tenant, type)
  const { token_hash: token } = link
  const changed = token.slice(0, -12) + (token.at(-12) === 'A' ? 'B' : 'A') + token.slice(-11)
  const others = [
    { ...link, token_hash: changed },
    { ...link, token_hash: 'abc' },
    { ...link, token_hash: '' },
    { ...link, email: stranger.link.email },
    { ...link, email: 'nobody' },
    { ...link, type: type === 'unlock' ? 'recovery' : 'unlock' },
    { ...link, type: 'other' },
  ]
  const before = await snapshot(app, { failedSignIns: false })
  for (const other of others) {
    const page = await press(other, { password: PASSWORD })
    expect([page.status, page.title]).toEqual([400, 'This link does not work'])
    const { token_hash, email } = other
    const query = new URLSearchParams({ token_hash, email, type: other.type })
    expect((await open(`http://localhost:4000/auth/link?${query}`)).title).toBe('This link does not work')
  }
  expect(await snapshot(app, { failedSignIns: false })).toEqual(before)
  await tenant.put('/v1/organization-apps', { subOrgId: person.subOrgId, enabledAppIds: [] })
  for (const page of [await open(link.url), await press(link, { password: PASSWORD })])
    expect([page.status, page.title]).toEqual([403, 'This is turned off'])
})

test('settings that refuse passwords, locks and deactivated users are explained', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'recovery')
  const { subOrgId, userId } = person
  const settings = (patch: object) => tenant.patch('/v1/auth/settings', { subOrgId, ...patch })
  const titles = async () => [(await open(link.url)).title, (await press(link, { password: PASSWORD })).title]
  await settings({ password_reset_enabled: false })
  expect(await titles()).toEqual(Array(2).fill('This is turned off'))
  await settings({ password_reset_enabled: null, email_password_enabled: false })
  expect(await titles()).toEqual(Array(2).fill('Passwords are turned off'))
  await settings({ email_password_enabled: null, lockout_max_attempts: 3, lockout_scope: 'all' })
  for (const _ of [1, 2, 3]) await login(person, 'not the password')
  expect(await titles()).toEqual(Array(2).fill('Your account is locked for a while'))
  expect((await open(link.url)).text).toContain('Come back in 15 minutes')
  await tenant.post(`/v1/users/${userId}/unlock`, { subOrgId })
  await tenant.patch(`/v1/users/${userId}`, { subOrgId, active: false })
  expect(await titles()).toEqual(Array(2).fill('This link is no longer valid'))
})
