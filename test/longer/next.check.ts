import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { fresh, freshEmail } from '../fresh.ts'
import { startApp, until } from '../harness.ts'
import { openBrowser } from '../peers/browser.ts'
import { enrollTotp, succeeded } from '../people/factors.ts'
import { mailedCode } from '../people/sign-in.ts'
import { CLOCK, COOKIE_SECRET, issuerOf } from '../process/examples.ts'
import { takePort } from '../process/service.ts'

// The application in examples/next as its README starts it, built, in a browser.

const place = fileURLToPath(new URL('../../examples/next', import.meta.url))
const servicePort = await takePort()
const app = await startApp({
  port: servicePort,
  env: { NODE_ENV: 'development', WATCHWORD_OUTBOUND_ALLOW: 'localhost' },
})
const tenant = await app.tenant()
const port = await takePort()
const PAGE = `http://localhost:${port}`
const browser = await openBrowser()
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const npm = (...args: string[]) => execFileSync('npm', args, { cwd: place, stdio: ['ignore', 2, 2] })
npm('ci', '--loglevel=error')
// Without a key and a secret, as machines build that have none.
npm('run', 'build')

const text: string[] = []
const running = spawn(
  process.execPath,
  ['--import', `data:text/javascript,${encodeURIComponent(CLOCK)}`, 'node_modules/next/dist/bin/next', 'start'],
  {
    cwd: place,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PORT: String(port),
      WATCHWORD_URL: app.baseUrl,
      WATCHWORD_KEY: tenant.key,
      WATCHWORD_ISSUER: await issuerOf(app, tenant),
      COOKIE_SECRET,
      MOVED: '0',
      WEBHOOK_SECRET: webhookSecret,
      NEXT_TELEMETRY_DISABLED: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  },
)
for (const stream of [running.stdout, running.stderr]) stream?.on('data', (part) => void text.push(String(part)))
afterAll(() => void running.kill())
await until(() => fetch(`${PAGE}/login`).catch(() => null))

let moved = 0
async function advance(seconds: number) {
  moved += seconds
  await app.advance(seconds)
  const told = new Promise((resolve) => {
    running.once('message', resolve)
  })
  running.send(moved)
  await told
}

let [ada, acme, globex] = ['', '', '']
beforeEach(async () => {
  ada = freshEmail('ada')
  acme = await customer('Acme')
  globex = await customer('Globex')
  for (const subOrgId of [acme, globex]) await addUser(subOrgId, ada, { displayName: 'Ada', role: 'admin' })
})

async function customer(name: string): Promise<string> {
  const slug = `${name.toLowerCase()}-${fresh()}`
  return succeeded(await tenant.post('/v1/organizations', { name, slug })).subOrganization.id
}

async function addUser(subOrgId: string, email: string, more: object = {}): Promise<string> {
  return succeeded(await tenant.post('/v1/users', { subOrgId, email, ...more })).user.id
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

/** Waits until the page says something. */
async function says(page: Page, words: string) {
  const main = page.getByRole('main')
  await main
    .filter({ hasText: words })
    .waitFor({ timeout: 10_000 })
    .catch(async () => expect(`${await main.textContent()} ${text.join('')}`).toContain(words))
}

async function enterCode(page: Page, email: string) {
  await page.getByLabel('Work email').fill(email)
  await press(page, 'Continue')
  await says(page, 'a code of two words')
  await page.getByLabel('Code').fill(await mailedCode(app, email))
  await press(page, 'Sign in')
}

const openPage = async (javaScriptEnabled = true) => {
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage()
  await page.goto(PAGE)
  return page
}

/** The home page of the administrator of Acme. */
async function signedInPage(): Promise<Page> {
  const page = await openPage()
  await enterCode(page, ada)
  await press(page, 'Acme')
  await says(page, 'You are signed in as Ada, with the role admin')
  return page
}

const cookiesOf = async (context: BrowserContext) =>
  Object.fromEntries((await context.cookies(PAGE)).map((cookie) => [cookie.name, cookie]))

async function sessionsOf(subOrgId: string): Promise<unknown[]> {
  const { users } = succeeded(await tenant.get(`/v1/sessions?subOrgId=${subOrgId}`))
  return users.flatMap(({ sessions }: { sessions: unknown[] }) => sessions)
}

const countOf = (words: string) => app.logLines.filter((line) => line.includes(words)).length

test.each([
  ['with scripts', true],
  ['without scripts', false],
])('a person of two organizations enters one of them and signs out, %s', async (_, javaScriptEnabled) => {
  const page = await openPage(javaScriptEnabled)
  expect(page.url()).toBe(`${PAGE}/login`)
  await page.getByLabel('Work email').fill(ada)
  await press(page, 'Continue')
  await says(page, 'a code of two words')
  await page.getByLabel('Code').fill('wrong words')
  await press(page, 'Sign in')
  await says(page, 'This code is not right.')
  await page.getByLabel('Code').fill(await mailedCode(app, ada))
  await press(page, 'Sign in')
  await says(page, 'Choose an organization')
  await press(page, 'Globex')
  await says(page, 'You are signed in as Ada, with the role admin')
  expect(await page.getByRole('heading').textContent()).toBe('Globex')
  const { session, ...others } = await cookiesOf(page.context())
  expect([session, others]).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Lax', path: '/' }), {}])
  await press(page, 'Sign out')
  await page.getByLabel('Work email').waitFor()
  expect([await page.context().cookies(PAGE), await sessionsOf(globex)]).toEqual([[], []])
  await page.goto(`${PAGE}/members`)
  expect(page.url()).toBe(`${PAGE}/login`)
})

test('an administrator changes the role of a member, and a member cannot', async () => {
  const grace = freshEmail('grace')
  const id = await addUser(acme, grace)
  await addUser(globex, freshEmail('other'))
  const page = await signedInPage()
  await page.getByRole('link', { name: 'Members' }).click()
  await says(page, 'Members of Acme')
  expect(await page.getByRole('row').count()).toBe(3)
  await page.getByLabel(`Role of ${grace}`).selectOption('admin')
  await press(page, 'Change')
  const roleOf = async () => succeeded(await tenant.get(`/v1/users/${id}?subOrgId=${acme}`)).user.role
  await until(async () => (await roleOf()) === 'admin')
  await app.settled()
  const { events } = succeeded(await tenant.get(`/v1/audit/events?subOrgId=${acme}&target_id=${id}`))
  expect(events[0]?.actor).toMatchObject({ on_behalf_of: { name: 'Ada' } })

  // The page of an administrator who is none any more.
  const [user] = succeeded(await tenant.get(`/v1/users?subOrgId=${acme}&email=${ada}`)).users
  succeeded(await tenant.put(`/v1/rbac/users/${user.id}/roles`, { subOrgId: acme, role: 'member' }))
  await page.getByLabel(`Role of ${grace}`).selectOption('member')
  await press(page, 'Change')
  await until(async () => text.join('').includes('Only administrators change roles.'))
  expect(await roleOf()).toBe('admin')
  await page.goto(`${PAGE}/members`)
  await says(page, 'Members of Acme')
  expect(await page.getByRole('button').count()).toBe(0)
})

test('an action that another site sends is refused', async () => {
  const page = await signedInPage()
  const { session } = await cookiesOf(page.context())
  const html = await (await page.context().request.get(PAGE)).text()
  const [, action = ''] = /name="(\$ACTION_ID_\w+)"/.exec(html) ?? []
  expect(action).not.toBe('')
  const send = (headers: Record<string, string>) => {
    const body = new FormData()
    body.set(action, '')
    return fetch(PAGE, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { cookie: `session=${session?.value}`, ...headers },
    })
  }
  for (const headers of [
    {},
    { origin: 'http://evil.test' },
    { origin: 'null' },
    { origin: PAGE, 'sec-fetch-site': 'cross-site' },
  ] as Record<string, string>[])
    expect((await send(headers)).status).toBe(403)
  expect(await sessionsOf(acme)).toHaveLength(1)
  const own = await send({ origin: PAGE })
  expect([own.status, await sessionsOf(acme)]).toEqual([303, []])
})

test('an expired session is renewed once, for the page that is rendered and for the browser', async () => {
  const page = await signedInPage()
  const before = (await cookiesOf(page.context()))['session']?.value
  await advance(3700)
  const refreshes = countOf('/v1/auth/token/refresh')
  await Promise.all([
    page.goto(`${PAGE}/members`),
    ...Array.from({ length: 5 }, () => page.context().request.get(`${PAGE}/`)),
  ])
  await says(page, 'Members of Acme')
  expect(countOf('/v1/auth/token/refresh') - refreshes).toBe(1)
  const after = (await cookiesOf(page.context()))['session']?.value
  expect(after).not.toBe(before)
  expect(await sessionsOf(acme)).toHaveLength(1)
  await page.goto(PAGE)
  await says(page, 'You are signed in as Ada')
  expect([countOf('/v1/auth/token/refresh') - refreshes, (await cookiesOf(page.context()))['session']?.value]).toEqual([
    1,
    after,
  ])
})

test('a sign-out and an action work in the same request as a renewal', async () => {
  const grace = freshEmail('grace')
  const id = await addUser(acme, grace)
  const page = await signedInPage()
  await page.goto(`${PAGE}/members`)
  await advance(3700)
  await page.getByLabel(`Role of ${grace}`).selectOption('admin')
  await press(page, 'Change')
  await until(async () => succeeded(await tenant.get(`/v1/users/${id}?subOrgId=${acme}`)).user.role === 'admin')
  await page.goto(PAGE)
  await says(page, 'You are signed in as Ada')
  await advance(3700)
  await press(page, 'Sign out')
  await page.getByLabel('Work email').waitFor()
  expect([await page.context().cookies(PAGE), await sessionsOf(acme)]).toEqual([[], []])
})

test('after the end of the session the page leads to the sign-in, and the cookie is gone', async () => {
  const page = await signedInPage()
  const [user] = succeeded(await tenant.get(`/v1/users?subOrgId=${acme}&email=${ada}`)).users
  succeeded(await tenant.delete(`/v1/users/${user.id}/sessions?subOrgId=${acme}`))
  // Its access token lives: the feed of revocations says that it has ended.
  await advance(15)
  await page.goto(`${PAGE}/members`)
  await page.getByLabel('Work email').waitFor()
  expect([page.url(), await page.context().cookies(PAGE)]).toEqual([`${PAGE}/login`, []])
})

test('single sign-on ends in the browser that began it, and a code still opens other organizations', async () => {
  const domain = `${fresh()}.test`
  const ben = `ben@${domain}`
  const portal = (body: object) => tenant.post('/v1/admin-portal', { subOrgId: acme, ...body })
  const added = succeeded(await portal({ action: 'add_domain', domain }))
  succeeded(await portal({ action: 'verify_domain', domainId: added.domain.id }))
  const provider = {
    protocol: 'oidc',
    oidc_issuer: `http://localhost:${servicePort}/dev/idp/${domain}`,
    oidc_client_id: 'x',
    oidc_client_secret: 'y',
  }
  const made = succeeded(await tenant.post('/v1/sso/connections', { subOrgId: acme, name: 'Acme ID', ...provider }))
  succeeded(await tenant.patch(`/v1/sso/connections/${made.connection.id}`, { subOrgId: acme, status: 'active' }))
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: acme, enforce_sso: true }))
  for (const subOrgId of [acme, globex]) await addUser(subOrgId, ben)

  const page = await openPage()
  await page.getByLabel('Work email').fill(ben)
  await press(page, 'Continue')
  await says(page, 'Your organization requires its own sign-in.')
  await press(page, /Acme ID/)
  await page.getByRole('button', { name: 'Sign in by this address' }).waitFor()
  // As a browser that did not begin the sign-in, where an attacker sends its address.
  const cookies = await page.context().cookies(PAGE)
  await page.context().clearCookies({ name: 'attempt' })
  await press(page, 'Sign in by this address')
  await says(page, 'This did not work. Try again.')
  expect(await sessionsOf(acme)).toEqual([])
  await page.context().addCookies(cookies)
  await page.goto(`${PAGE}/login/callback?state=other&code=x`)
  await says(page, 'This did not work. Try again.')

  await page.getByLabel('Work email').fill(ben)
  await press(page, 'Continue')
  await press(page, /Acme ID/)
  await press(page, 'Sign in by this address')
  await says(page, `You are signed in as ${ben}`)
  await press(page, 'Sign out')

  await page.getByLabel('Work email').fill(ben)
  await press(page, 'Continue')
  await press(page, 'Mail me a code instead')
  await says(page, 'a code of two words')
  await page.getByLabel('Code').fill(await mailedCode(app, ben))
  await press(page, 'Sign in')
  await says(page, 'single sign-on')
  await press(page, 'Globex')
  await says(page, `You are signed in as ${ben}`)
})

test('a second factor is asked for', async () => {
  const page = await openPage()
  const [user] = succeeded(await tenant.get(`/v1/users?subOrgId=${acme}&email=${ada}`)).users
  const { backupCodes } = await enrollTotp(tenant, user.id, { subOrgId: acme, ahead: moved })
  await enterCode(page, ada)
  await press(page, 'Acme')
  await says(page, 'Second factor')
  await page.getByLabel(/authenticator app/).fill('000000')
  await press(page, 'Continue')
  await says(page, 'This code is not right.')
  await page.getByLabel(/authenticator app/).fill(backupCodes[0] ?? '')
  await press(page, 'Continue')
  await says(page, 'You are signed in as Ada')
})

test('a genuine delivery is handled once, and a forged one is refused', async () => {
  const send = (secret: string) => {
    const [at, body] = [new Date(Date.now() + moved * 1000), '{"id":"evt_1","type":"user.created","data":{}}']
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
    }
    return fetch(`${PAGE}/webhooks`, { method: 'POST', headers, body })
  }
  expect([(await send(webhookSecret)).status, (await send(webhookSecret)).status]).toEqual([204, 204])
  expect((await send(`whsec_${Buffer.alloc(32, 8).toString('base64')}`)).status).toBe(400)
  const handled = () => text.join('').split('Event: user.created').length - 1
  await until(async () => handled() > 0)
  expect(handled()).toBe(1)
})
