import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import ofExample from '../../examples/one-login/package.json' with { type: 'json' }
import { fanOut } from '../../src/features/records/deliveries/fan-out.ts'
import { fresh, freshEmail } from '../fresh.ts'
import { startApp, until } from '../harness.ts'
import { openBrowser } from '../peers/browser.ts'
import { codeOf, succeeded } from '../people/factors.ts'
import { mailedCode, mailedLink } from '../people/sign-in.ts'
import { deliverDue } from '../people/webhook-delivery.ts'
import {
  advanceBoth,
  cookiesOf,
  endExamples,
  holdRefreshUntil,
  issuerOf,
  sealCookie,
  sessionOf,
  startExample,
  untestedPackages,
} from './examples.ts'
import { takePort } from './service.ts'

// The application in examples/one-login as its README starts it, with the identity provider of development.

const servicePort = await takePort()
const SERVICE = `http://localhost:${servicePort}`
const google = { WATCHWORD_SOCIAL_GOOGLE_URL: `${SERVICE}/dev/idp/gmail.com`, WATCHWORD_OUTBOUND_ALLOW: 'localhost' }
const app = await startApp({ port: servicePort, env: { NODE_ENV: 'development', ...google } })
const tenant = await app.tenant()
const port = await takePort()
const PAGE = `http://localhost:${port}`
const browser = await openBrowser()

endExamples()
succeeded(await tenant.patch('/v1/auth/settings/defaults', { email_password_enabled: false }))
const GOOGLE = { provider: 'google', enabled: true, client_id: 'demo', client_secret: 'any text' }
succeeded(await tenant.put('/v1/social/providers/defaults', GOOGLE))
const service = {
  WATCHWORD_URL: app.baseUrl,
  WATCHWORD_KEY: tenant.key,
  WATCHWORD_ISSUER: await issuerOf(app, tenant),
}
const example = await startExample('one-login', { ...service, PORT: String(port) })

let [ada, acme] = ['', '']
beforeEach(async () => {
  ada = freshEmail('ada')
  acme = await customer('Acme')
  await addUser(acme, ada, { displayName: 'Ada <Lovelace>', role: 'admin' })
})

async function customer(name: string): Promise<string> {
  const slug = `${name.toLowerCase()}-${fresh()}`
  return succeeded(await tenant.post('/v1/organizations', { name, slug })).subOrganization.id
}

async function addUser(subOrgId: string, email: string, more: object = {}): Promise<string> {
  return succeeded(await tenant.post('/v1/users', { subOrgId, email, ...more })).user.id
}

async function openPage(path = '/login'): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 375, height: 700 } })).newPage()
  await page.goto(`${PAGE}${path}`)
  return page
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).click()

/** Waits until the page says something. */
async function says(page: Page, text: string) {
  const main = page.getByRole('main')
  await main
    .filter({ hasText: text })
    .waitFor({ timeout: 10_000 })
    .catch(async () => expect(await main.textContent()).toContain(text))
}

async function enterAddress(page: Page, email: string) {
  await page.getByLabel('Work email').fill(email)
  await press(page, 'Continue')
}

async function enterCode(page: Page, email: string) {
  await says(page, 'a code of two words')
  await page.getByLabel('Code').fill(await mailedCode(app, email))
  await press(page, 'Sign in')
}

/** The home page of a person of one organization. */
async function signedInPage(email: string): Promise<Page> {
  const page = await openPage()
  await enterAddress(page, email)
  await enterCode(page, email)
  await says(page, `as ${email}`)
  return page
}

const countOf = (text: string) => app.logLines.filter((line) => line.includes(text)).length

/** Whether the page fits a narrow screen. */
const overflows = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Sends the events of everything that has happened to the webhooks. */
async function deliver() {
  await app.settled()
  while (await fanOut(app.app.platform));
  while (await deliverDue(app.app.platform));
}

/** Verifies a domain and connects the identity provider of development, as an administrator does. */
async function connect(page: Page, protocol: 'oidc' | 'saml' = 'oidc'): Promise<string> {
  const domain = `${fresh()}.test`
  await follow(page, 'Settings')
  await page.getByLabel('Domain of your addresses').fill(domain)
  await press(page, 'Add domain')
  await press(page, `Verify ${domain}`)
  await says(page, `${domain} is verified`)
  const provider = `${SERVICE}/dev/idp/${domain}`
  if (protocol === 'oidc') {
    await page.getByText('Connect with OpenID Connect').click()
    await page.getByLabel('Name of the OpenID provider').fill('Acme ID')
    await page.getByLabel('Issuer').fill(provider)
    await page.getByLabel('Client ID').fill('watchword')
    await page.getByLabel('Client secret').fill('any text')
    await press(page, 'Add the OpenID provider')
  } else {
    await page.getByText('Connect with SAML').click()
    await page.getByLabel('Name of the SAML provider').fill('Acme ID')
    await page.getByLabel('Metadata URL').fill(`${provider}/saml/metadata`)
    await press(page, 'Add the SAML provider')
  }
  await press(page, 'Test and switch on Acme ID')
  await says(page, 'Acme ID is on')
  return domain
}

test('an administrator connects the customer, people sign in there, and the records name everyone', async () => {
  const page = await signedInPage(ada)
  const domain = await connect(page)
  await press(page, 'Switch on provisioning')
  const [endpoint, token] = await Promise.all(
    ['Endpoint URL', 'Token'].map((each) => page.getByLabel(each).inputValue()),
  )
  await page.waitForLoadState()
  expect(await overflows(page)).toBe(false)
  const directory = await openPage()
  await directory.goto(`${SERVICE}/dev/idp/${domain}/scim`)
  await directory.getByLabel('Endpoint').fill(endpoint ?? '')
  await directory.getByLabel('Token').fill(token ?? '')
  await press(directory, 'Push people and groups')
  await directory.getByRole('status').waitFor()
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${acme}&q=grace`))
  expect(users).toMatchObject([{ email: `grace@${domain}`, scimManaged: true }])

  const graces = await openPage()
  await enterAddress(graces, `grace@${domain}`)
  await follow(graces, 'Continue with Acme ID')
  await graces.getByRole('button', { name: 'Grace Hopper' }).click()
  await says(graces, `as grace@${domain}. Your role is member.`)
  await graces.goto(`${PAGE}/settings`)
  await says(graces, 'Only administrators')

  await page.goto(`${PAGE}/audit`)
  for (const [who, what] of [
    ['Ada <Lovelace>', 'sso.connection.created'],
    ['Ada <Lovelace>', 'domain.verified'],
    ['Grace Hopper', 'session.created'],
  ] as const)
    expect(await page.getByRole('row').filter({ hasText: who }).filter({ hasText: what }).count()).toBe(1)
  await deliver()
  // Each event comes at least once: this one comes again.
  const [{ id: hook }] = succeeded(await tenant.get('/v1/webhooks')).webhooks
  const { deliveries } = succeeded(await tenant.get(`/v1/webhooks/${hook}?deliveries=true&limit=200`))
  const verified = deliveries.find(({ eventType }: { eventType: string }) => eventType === 'domain.verified')
  const received = () => example.told.filter((path) => path === '/webhooks').length
  const before = received()
  succeeded(await tenant.post(`/v1/webhooks/${hook}/deliveries/${verified.id}/resend?scope=environment`))
  await deliver()
  await until(async () => received() === before + 1)
  await page.goto(`${PAGE}/events`)
  await says(page, 'session.created Grace Hopper')
  expect(await page.getByRole('listitem').filter({ hasText: 'domain.verified' }).count()).toBe(1)
  // Another customer's administrator sees nothing of it.
  const eve = freshEmail('eve')
  await addUser(await customer('Globex'), eve, { role: 'admin' })
  const eves = await signedInPage(eve)
  await eves.goto(`${PAGE}/events`)
  await says(eves, 'Received by webhook')
  expect(await eves.getByRole('main').textContent()).not.toContain('domain.verified')
})

test('a button of Google leads to the organization of the person, or lets them choose', async () => {
  const grace = 'grace@gmail.com'
  const byGoogle = async () => {
    const page = await openPage()
    await follow(page, 'Continue with Google')
    await page.getByRole('button', { name: 'Grace Hopper' }).click()
    return page
  }
  await says(await byGoogle(), 'No organization has added your address')
  const globex = await customer('Globex')
  for (const subOrgId of [acme, globex]) {
    await addUser(subOrgId, grace)
    succeeded(await tenant.put('/v1/social/providers', { subOrgId, provider: 'google', enabled: true }))
    const page = await byGoogle()
    if (subOrgId === globex) await press(page, 'Globex')
    await says(page, `as ${grace}`)
    expect(await overflows(page)).toBe(false)
  }
  for (const subOrgId of [acme, globex]) {
    const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${grace}`))
    succeeded(await tenant.delete(`/v1/users/${users[0].id}?subOrgId=${subOrgId}`))
  }
  // A link on another site does not begin a sign-in.
  const page = await openPage()
  await page.route('https://elsewhere.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<a href="${PAGE}/login/social?provider=google">Go</a>` }),
  )
  await page.goto('https://elsewhere.example/')
  await follow(page, 'Go')
  await says(page, 'Work email')
})

test('a person of two organizations picks one, and single sign-on leads to the provider', async () => {
  const domain = await connect(await signedInPage(ada))
  const ben = `ben@${domain}`
  const globex = await customer('Globex')
  for (const subOrgId of [acme, globex]) await addUser(subOrgId, ben)
  const page = await openPage()
  await enterAddress(page, ben)
  await press(page, 'Mail me a code instead')
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: acme, enforce_sso: true }))
  await enterCode(page, ben)
  await press(page, 'Globex')
  await says(page, `You are signed in to Globex as ${ben}`)
  expect(Object.keys(await cookiesOf(page.context()))).toEqual(['session'])
  const { cookie, claims, access, refresh } = await sessionOf(page.context())
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' })
  for (const token of [access, refresh]) expect(cookie.value).not.toContain(token)
  expect(claims).toMatchObject({ org_id: globex })
  await press(page, 'Sign out')
  await page.getByLabel('Work email').waitFor()
  expect(await page.context().cookies(PAGE)).toEqual([])

  // The domain is of an organization that enforces single sign-on: a code still opens the other one.
  await enterAddress(page, ben)
  await says(page, 'Your organization requires its own sign-in.')
  await press(page, 'Mail me a code instead')
  await enterCode(page, ben)
  await press(page, 'Globex')
  await says(page, `You are signed in to Globex as ${ben}`)
  await press(page, 'Sign out')
  await enterAddress(page, ben)
  await follow(page, 'Continue with Acme ID')
  await press(page, 'Sign in by this address')
  await says(page, `You are signed in to Acme as ${ben}`)
})

test('an organization that enforces single sign-on is entered by it, from the list of a code', async () => {
  const domain = await connect(await signedInPage(ada), 'saml')
  const ben = `ben@${domain}`
  for (const subOrgId of [acme, await customer('Globex')]) await addUser(subOrgId, ben)
  const page = await openPage()
  await enterAddress(page, ben)
  await press(page, 'Mail me a code instead')
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: acme, enforce_sso: true }))
  await enterCode(page, ben)
  await follow(page, /^Acme single sign-on/)
  await press(page, 'Sign in by this address')
  await says(page, `You are signed in to Acme as ${ben}`)
})

test('an invitation signs its person in at once, by its link alone', async () => {
  const page = await signedInPage(ada)
  await follow(page, 'Settings')
  const tia = freshEmail('tia')
  await page.getByLabel('Email').fill(tia)
  await page.getByLabel('Role').selectOption('admin')
  await press(page, 'Invite')
  await says(page, `${tia}, invited by Ada <Lovelace>`)
  const { url } = await mailedLink(app, tia, 'invite')
  expect(url).toContain(`${PAGE}/invitation?`)
  const tias = await openPage()
  await tias.goto(url)
  await says(tias, `You are invited as ${tia}`)
  expect((await tenant.get(`/v1/users/invites?subOrgId=${acme}`)).body.invites).toMatchObject([{ status: 'pending' }])
  await press(tias, 'Accept the invitation')
  await says(tias, `You are signed in to Acme as ${tia}. Your role is admin.`)
  await tias.goto(url)
  await press(tias, 'Accept the invitation')
  await says(tias, 'This link no longer works')
})

test('a second factor is set up where it is required, and asked for from then on', async () => {
  succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId: acme, require_mfa: true, grace_period_days: 0 }))
  const page = await openPage()
  await enterAddress(page, ada)
  await enterCode(page, ada)
  await press(page, 'Set up the app')
  const secret = (await page.locator('code').textContent()) ?? ''
  await page.getByLabel('Code of the app').fill('000000')
  await press(page, 'Continue')
  await says(page, 'This code is not right')
  await page.getByLabel('Code of the app').fill(codeOf(secret, 0, example.moved))
  await press(page, 'Continue')
  await says(page, 'Keep your backup codes')
  expect(await page.getByRole('listitem').count()).toBe(10)
  await follow(page, 'Continue')
  await press(page, 'Sign out')
  await enterAddress(page, ada)
  await enterCode(page, ada)
  await page.getByLabel('Code of your authenticator app').fill('000000')
  await press(page, 'Continue')
  await says(page, 'This code is not right')
  await page.getByLabel('Code of your authenticator app').fill(codeOf(secret, 1, example.moved))
  await press(page, 'Continue')
  await says(page, `as ${ada}`)
  expect((await sessionOf(page.context())).claims).toMatchObject({ aal: 'aal2' })
})

test('a passkey signs in by autofill, without an address', async () => {
  const page = await signedInPage(ada)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const verified = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  await cdp.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...verified } })
  await press(page, 'Add a passkey')
  await says(page, 'You can sign in with it')
  const { claims: before } = await sessionOf(page.context())
  await press(page, 'Sign out')
  await says(page, `as ${ada}`)
  const { claims: after } = await sessionOf(page.context())
  expect(after).toMatchObject({ aal: 'aal2', org_id: acme })
  expect(after['sid']).not.toBe(before['sid'])
})

test('other sites, other browsers and changed cookies get nowhere', async () => {
  const page = await signedInPage(ada)
  const cookie = `session=${(await sessionOf(page.context())).cookie.value}`
  const body = new URLSearchParams({ domain: 'evil.test', email: ada })
  const before = countOf('/v1/auth/')
  for (const origin of [null, 'https://evil.example', 'null', `${PAGE}.evil.example`])
    for (const path of ['/settings/domains', '/login', '/sign-out']) {
      const headers = { cookie, ...(origin === null ? {} : { origin }) }
      const reply = await fetch(`${PAGE}${path}`, { method: 'POST', headers, body, redirect: 'manual' })
      expect([origin, path, reply.status]).toEqual([origin, path, 403])
    }
  expect(countOf('/v1/auth/')).toBe(before)
  expect(succeeded(await tenant.get(`/v1/admin-portal?subOrgId=${acme}`)).overview.domains).toEqual([])
  // A sign-in that this browser did not begin.
  const exchanges = countOf('/v1/auth/token/exchange')
  const stranger = await openPage('/login/callback?state=made-up&code=made-up')
  await says(stranger, 'began in another browser')
  expect(countOf('/v1/auth/token/exchange')).toBe(exchanges)
  const starts = countOf('/v1/auth/login/sso/start')
  for (const site of ['cross-site', 'same-site', 'none']) {
    const headers = { 'sec-fetch-site': site }
    const reply = await fetch(`${PAGE}/login/sso?organization=${acme}&connection=${acme}`, {
      headers,
      redirect: 'manual',
    })
    expect([site, reply.status]).toEqual([site, 200])
  }
  expect(countOf('/v1/auth/login/sso/start')).toBe(starts)
  // A cookie that the application did not seal, with another user.
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${acme}`))
  const attempt = { subOrgId: acme, userId: users[0].id, challenge: 'mfa_made-up' }
  const forged = await sealCookie('attempt', attempt, 'another secret of at least 32 characters')
  for (const value of [forged, Buffer.from(JSON.stringify(attempt)).toString('base64url')]) {
    const headers = { origin: PAGE, cookie: `attempt=${value}` }
    const enrolled = await fetch(`${PAGE}/login/enroll`, { method: 'POST', headers })
    expect(await enrolled.text()).toContain('This took too long')
  }
  // Sealed by the application, it gets as far as Watchword.
  const own = await sealCookie('attempt', attempt)
  const headers = { origin: PAGE, cookie: `attempt=${own}` }
  const begun = countOf('/v1/mfa/totp')
  await fetch(`${PAGE}/login/enroll`, { method: 'POST', headers })
  expect(countOf('/v1/mfa/totp')).toBe(begun + 1)
  const factors = succeeded(await tenant.get(`/v1/mfa/totp?subOrgId=${acme}&userId=${users[0].id}`))
  expect(factors.enrollment.pending).toBe(false)
  // An event that the service did not sign.
  const unsigned = await fetch(`${PAGE}/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'x',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,x',
    },
    body: '{}',
  })
  expect(unsigned.status).toBe(400)
})

test('five requests with an expired token are one refresh; an ended session is over at once', async () => {
  const page = await signedInPage(ada)
  const before = await sessionOf(page.context())
  const { sid: sessionId, exp = 0, iat = 0 } = before.claims
  await advanceBoth(app, example, exp - iat + 10)
  const refreshed = countOf('/v1/auth/token/refresh')
  const { answers } = await holdRefreshUntil(app, example, { sessionId, path: '/?', times: 5 }, () =>
    page.evaluate(() => Promise.all(Array.from({ length: 5 }, async (_, n) => (await fetch(`/?${n}`)).status))),
  )
  expect(await answers).toEqual([200, 200, 200, 200, 200])
  expect(countOf('/v1/auth/token/refresh')).toBe(refreshed + 1)
  const after = await sessionOf(page.context())
  expect(after.refresh).not.toBe(before.refresh)
  expect(after.claims['sid']).toBe(sessionId)
  succeeded(await tenant.delete(`/v1/sessions/${sessionId}?subOrgId=${acme}`))
  await page.reload()
  await page.getByLabel('Work email').waitFor()
  expect(await page.context().cookies(PAGE)).toEqual([])
})

test('by https the cookies are of this host alone', async () => {
  const [ORIGIN, PORT] = ['https://app.example.com', String(await takePort())]
  await startExample('one-login', {
    ...service,
    ORIGIN,
    PORT,
    WEBHOOK_SECRET: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3',
  })
  const body = new URLSearchParams({ email: ada })
  const reply = await fetch(`http://localhost:${PORT}/login`, { method: 'POST', headers: { origin: ORIGIN }, body })
  expect(reply.headers.getSetCookie()).toHaveLength(1)
  for (const cookie of reply.headers.getSetCookie()) {
    expect(cookie).toMatch(/^__Host-\w+=[^;]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
    expect(cookie).not.toContain('Domain')
  }
})

test('it has the packages that it is tested with', () => {
  expect(untestedPackages(ofExample)).toEqual([])
})
