import type { Page } from 'playwright-core'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import ofExample from '../../examples/express/package.json' with { type: 'json' }
import { freshEmail } from '../fresh.ts'
import { startApp, until } from '../harness.ts'
import { openBrowser } from '../peers/browser.ts'
import { codeOf, enrollTotp, succeeded } from '../people/factors.ts'
import { workOfOrganization } from '../people/federation.ts'
import { mailedCode, signIn } from '../people/sign-in.ts'
import {
  advanceBoth,
  cookiesOf,
  dropAccessToken,
  endExamples,
  holdRefreshUntil,
  issuerOf,
  openCookie,
  sealCookie,
  sessionOf,
  startExample,
  untestedPackages,
} from './examples.ts'
import { takePort } from './service.ts'

// The application in examples/express as its README starts it, in a browser with an authenticator of its own.

const app = await startApp({ port: await takePort() })
const tenant = await app.tenant()
/** All that it is said to need. */
const key = await tenant.withKey({ scopes: ['auth.login'] })
const port = await takePort()
const PAGE = `http://localhost:${port}`
const browser = await openBrowser()

endExamples()
const issuer = await issuerOf(app, tenant)
const startExpress = (env: { PORT: string; ORIGIN?: string }, moved = 0) => {
  const service = { WATCHWORD_URL: app.baseUrl, WATCHWORD_KEY: key.key, WATCHWORD_ISSUER: issuer }
  return startExample('express', { ...service, ...env }, moved)
}
const example = await startExpress({ PORT: String(port) })

let email = ''
let [acme, globex] = ['', '']
beforeEach(async () => {
  email = freshEmail()
  acme = await customer('Acme')
  globex = await customer('Globex')
})

/** An organization that the person is in. */
async function customer(name: string): Promise<string> {
  const slug = `${name.toLowerCase()}-${email.split(/[-@]/)[1]}`
  const { subOrganization } = succeeded(await tenant.post('/v1/organizations', { name, slug }))
  succeeded(await tenant.put('/v1/users', { subOrgId: subOrganization.id, users: [{ email, emailVerified: true }] }))
  return subOrganization.id
}

const advance = (seconds: number) => advanceBoth(app, example, seconds)

/** The page in a browser of its own, with a platform authenticator that answers without being asked. */
async function openPage(): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto(PAGE)
  return page
}

async function answer(page: Page, label: RegExp, text: string | (() => Promise<string>)) {
  await until(async () => label.test((await page.getByRole('main').textContent()) ?? ''), 10_000).catch(async () =>
    expect(await page.getByRole('main').textContent()).toMatch(label),
  )
  await page.getByLabel(label).fill(typeof text === 'string' ? text : await text())
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Waits until the page says something. */
async function says(page: Page, text: string) {
  const shown = () => page.getByRole('main').textContent()
  await until(async () => (await shown())?.includes(text), 10_000).catch(async () =>
    expect(await shown()).toContain(text),
  )
}

/** The page of somebody who has signed in at Acme. */
async function signedInPage(): Promise<Page> {
  const page = await openPage()
  await answer(page, /email address/, email)
  await answer(page, /two words/, () => mailedCode(app, email))
  await page.getByRole('button', { name: 'Acme' }).click()
  return page
}

const countOf = (text: string) => app.logLines.filter((line) => line.includes(text)).length

/** The status of what the page asks its backend for, so many times at once. */
const fetchAtOnce = (page: Page, path: string, times: number) =>
  page.evaluate(
    ([path, times]) => Promise.all(Array.from({ length: times }, async (_, i) => (await fetch(`${path}?${i}`)).status)),
    [path, times] as const,
  )

test('somebody of two organizations enters one of them, and no script sees their tokens', async () => {
  const page = await openPage()
  await answer(page, /email address/, email)
  await answer(page, /two words/, 'wrong words')
  await says(page, 'The code is wrong')
  await answer(page, /two words/, () => mailedCode(app, email))
  await page.getByRole('button', { name: 'Globex' }).waitFor()
  expect((await page.getByRole('listitem').allTextContents()).toSorted()).toEqual(['Acme', 'Globex'])
  await page.getByRole('button', { name: 'Globex' }).click()
  await says(page, `You are ${email}. This is Globex.`)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  // What the sign-in needed on its way is gone.
  expect(Object.keys(await cookiesOf(page.context()))).toEqual(['session'])
  expect(await page.evaluate('document.cookie')).toBe('')
  const { cookie, claims, access, refresh } = await sessionOf(page.context())
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' })
  for (const token of [access, refresh]) expect(cookie.value).not.toContain(token)
  expect(claims).toMatchObject({ org_id: globex, aud: tenant.accountId })
  const ends = cookie.expires * 1000 - Date.now()
  expect(Math.round(ends / 86_400_000)).toBe(7)
  await page.reload()
  await says(page, `You are ${email}.`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel(/email address/).waitFor()
  expect(await page.context().cookies()).toEqual([])
  expect(succeeded(await tenant.get(`/v1/sessions?subOrgId=${globex}`)).users).toEqual([])
})

test('five requests with an expired token are one refresh', async () => {
  const page = await signedInPage()
  await says(page, `You are ${email}.`)
  const before = await sessionOf(page.context())
  const { sid, exp = 0, iat = 0 } = before.claims
  await advance(exp - iat + 10)
  const refreshed = countOf('/v1/auth/token/refresh')
  const { answers } = await holdRefreshUntil(app, example, { sessionId: sid, path: '/me', times: 5 }, () =>
    fetchAtOnce(page, '/me', 5),
  )
  expect(await answers).toEqual([200, 200, 200, 200, 200])
  expect(countOf('/v1/auth/token/refresh')).toBe(refreshed + 1)
  const after = await sessionOf(page.context())
  expect(after.refresh).not.toBe(before.refresh)
  expect(after.claims['sid']).toBe(sid)
  expect(await fetchAtOnce(page, '/me', 1)).toEqual([200])
  expect(countOf('/v1/auth/token/refresh')).toBe(refreshed + 1)
})

test('a session that has ended is over at the next request, with its cookie', async () => {
  const page = await signedInPage()
  await says(page, `You are ${email}.`)
  const { claims } = await sessionOf(page.context())
  succeeded(await tenant.delete(`/v1/sessions/${claims['sid']}?subOrgId=${acme}`))
  expect(await fetchAtOnce(page, '/me', 1)).toEqual([401])
  expect(await page.context().cookies()).toEqual([])
  expect(await fetchAtOnce(page, '/me', 1)).toEqual([401])
})

/** Refuses, or no longer, every call of the example. */
async function refuseKey(allowedIps: string[] | null) {
  const { id } = await keyOfExample
  succeeded(await tenant.patch(`/v1/api-keys/${id}`, { allowedIps }))
}
const keyOfExample = key.get('/v1/api-keys/current').then(succeeded)

test('what the service refuses of this backend ends no session; signing out forgets it all the same', async () => {
  const page = await signedInPage()
  await says(page, `You are ${email}.`)
  await dropAccessToken(page.context())
  const before = await cookiesOf(page.context())
  onTestFinished(() => refuseKey(null))
  await refuseKey(['203.0.113.9'])
  expect(await fetchAtOnce(page, '/me', 1)).toEqual([503])
  expect((await cookiesOf(page.context()))['session']?.value).toBe(before['session']?.value)
  await refuseKey(null)
  expect(await fetchAtOnce(page, '/me', 1)).toEqual([200])
  await refuseKey(['203.0.113.9'])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await says(page, 'Please try again.')
  expect(await page.context().cookies()).toEqual([])
})

test('the code works in the browser that asked for it alone', async () => {
  const [page, another] = [await openPage(), await openPage()]
  const [asked] = await Promise.all([page.waitForResponse(/sign-in.code/), answer(page, /email address/, email)])
  expect(await asked.json()).toEqual({ delivery_hint: `${email[0]}•••@example.com` })
  const code = await mailedCode(app, email)
  const { attempt } = await cookiesOf(page.context())
  const begun = await openCookie<{ otp_id: string }>('attempt', attempt?.value ?? '')
  expect(attempt?.httpOnly).toBe(true)
  const sent = { email, code, otp_id: begun?.otp_id }
  const status = await another.evaluate(async (sent) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/sign-in/organizations', { method: 'POST', headers, body: JSON.stringify(sent) })).status
  }, sent)
  expect(status).toBe(400)
  await answer(page, /two words/, code)
  await page.getByRole('button', { name: 'Acme' }).waitFor()
})

test('the service learns of every sign-in and refresh from where the person came', async () => {
  const page = await signedInPage()
  await says(page, `You are ${email}.`)
  const { cookie: old } = await sessionOf(page.context())
  await dropAccessToken(page.context())
  expect(await fetchAtOnce(page, '/me', 1)).toEqual([200])
  await advance(60)
  await dropAccessToken(page.context(), old)
  expect(await fetchAtOnce(page, '/me', 1)).toEqual([401])
  expect(await page.context().cookies()).toEqual([])
  const { directory } = await workOfOrganization(app, acme)
  const events = await app.app.platform.db
    .selectFrom('events')
    .select(['type', 'ip_address', 'user_agent'])
    .where('directory_id', '=', directory.id)
    .where('type', 'in', ['session.created', 'session.refresh_reuse_detected'])
    .orderBy('created_at')
    .execute()
  expect(events.map(({ type }) => type)).toEqual(['session.created', 'session.refresh_reuse_detected'])
  for (const { ip_address, user_agent } of events) {
    expect(['127.0.0.1', '::1']).toContain(ip_address)
    expect(user_agent).toContain('Chrome/')
  }
})

test('by https the cookies are of this host alone', async () => {
  const [ORIGIN, PORT] = ['https://app.example.com', String(await takePort())]
  await startExpress({ ORIGIN, PORT }, example.moved)
  const jar = new Map<string, string>()
  const post = async (path: string, body: object) => {
    const headers = {
      'content-type': 'application/json',
      origin: ORIGIN,
      cookie: [...jar].map((each) => each.join('=')).join('; '),
    }
    const reply = await fetch(`http://localhost:${PORT}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(reply.status, await reply.clone().text()).toBe(200)
    for (const cookie of reply.headers.getSetCookie()) {
      expect(cookie).toMatch(/^__Host-\w+=[^;]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
      expect(cookie).not.toContain('Domain')
      const [name = '', value = ''] = cookie.split(/[=;]/)
      if (value) jar.set(name, value)
      else jar.delete(name)
    }
    return reply.text()
  }
  expect(await post('/sign-in/code', { email })).not.toContain('otp_id')
  await post('/sign-in/organizations', { email, code: await mailedCode(app, email) })
  expect(await post('/sign-in', { subOrgId: acme })).toBe('{"signedIn":true}')
  expect([...jar.keys()]).toEqual(['__Host-session'])
})

test('a passkey and a new address want a recent proof, by a code and then by the passkey', async () => {
  const page = await signedInPage()
  await says(page, `You are ${email}.`)
  await advance(660)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await answer(page, /some time since/, () => mailedCode(app, email))
  await says(page, 'The passkey was added.')
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${acme}`))
  expect(users[0].passkeyCount).toBe(1)
  await advance(660)
  await page.getByRole('button', { name: 'Change address' }).click()
  const next = freshEmail()
  await answer(page, /new address/, next)
  await answer(page, /two words/, () => mailedCode(app, next))
  await says(page, 'The address was changed.')
  await says(page, `You are ${next}.`)
  const changed = await app.events({ accountId: tenant.accountId, type: 'user.updated' })
  expect(changed.at(-1)).toMatchObject({ actor_type: 'user', target_id: users[0].id })
  expect((await sessionOf(page.context())).claims).toMatchObject({ aal: 'aal2' })
})

test('a second factor is asked for', async () => {
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${acme}`))
  const { secret } = await enrollTotp(tenant, users[0].id, { subOrgId: acme, ahead: example.moved })
  const page = await signedInPage()
  await answer(page, /code of your app/, async () => codeOf(secret, 1, example.moved))
  await says(page, `You are ${email}.`)
  expect((await sessionOf(page.context())).claims).toMatchObject({ aal: 'aal2' })
})

test('a page of another site changes nothing', async () => {
  const page = await signedInPage()
  await says(page, `You are ${email}.`)
  const cookie = `session=${(await sessionOf(page.context())).cookie.value}`
  const before = countOf('/v1/')
  for (const origin of [null, 'https://evil.example', 'null', `http://localhost:${port}.evil.example`])
    for (const path of ['/sign-in/code', '/sign-out', '/me/email']) {
      const headers = { 'content-type': 'application/json', cookie, ...(origin === null ? {} : { origin }) }
      const reply = await fetch(`${PAGE}${path}`, { method: 'POST', headers, body: JSON.stringify({ email }) })
      expect([origin, path, reply.status]).toEqual([origin, path, 403])
    }
  expect(countOf('/v1/')).toBe(before)
  expect(await fetchAtOnce(page, '/me', 1)).toEqual([200])
})

test('tokens of others, for others, and of no one open nothing', async () => {
  const stranger = await app.tenant()
  const subOrgId = await stranger.organization()
  succeeded(await stranger.post('/v1/users', { subOrgId, email }))
  const ofOthers = (await signIn(app, stranger, subOrgId, email)).access_token
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId: acme, audience: 'another-application' }))
  const forOthers = (await signIn(app, tenant, acme, email)).access_token
  const own = (await signIn(app, tenant, globex, email)).access_token
  const ask = async (cookie: string) => (await fetch(`${PAGE}/me`, { headers: { cookie: `session=${cookie}` } })).status
  const status = async (access: string) =>
    ask(await sealCookie('session', { access, refresh: 'none', org: acme, until: Date.now() / 1000 + 60 }))
  expect(await status(own)).toBe(200)
  expect(await status(ofOthers)).toBe(401)
  expect(await status(forOthers)).toBe(401)
  expect(await status(`${own.slice(0, own.lastIndexOf('.'))}.AAAA`)).toBe(401)
  expect(await status('nothing')).toBe(401)
  expect(await ask(own)).toBe(401)
})

test('it has the packages that it is tested with', () => {
  expect(untestedPackages(ofExample)).toEqual([])
})
