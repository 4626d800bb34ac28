import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { openBrowser } from '../../../../test/peers/browser.ts'
import { mailLinkTo, organizationLinkTypes } from '../../../../test/people/mailed-links.ts'

const app = await startApp()
const tenant = await app.tenant()
const browser = await openBrowser()
const PASSWORD = 'correct horse battery staple'

// The application that the pages send users to.
const application = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<link rel="icon" href="data:,"><h1>The application</h1>')
})
await once(application.listen(0, '127.0.0.1'), 'listening')
afterAll(() => application.close())
const address = application.address()
const home = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/signed-in`

const brand = {
  brand_name: `Acme ${'Rockets and Sons '.repeat(5)}`.trim(),
  support_email: `${'help'.repeat(12)}@acme.example`,
}

const screens = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
].flatMap((size) => [
  { size, colorScheme: 'light' as const },
  { size, colorScheme: 'dark' as const },
])

/** Checks the page on a desktop and on a phone, in light and dark mode. Leaves it in phone size. */
async function expectToFit(page: Page) {
  for (const { size, colorScheme } of screens) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    const seen = await page.evaluate<{ width: number; heights: number[]; unlabelled: number; scripts: number }>(`({
      width: document.documentElement.scrollWidth,
      heights: [...document.querySelectorAll('input:not([type=hidden]),.button')].map((each) => each.offsetHeight),
      unlabelled: [...document.querySelectorAll('input:not([type=hidden])')].filter((each) => !each.labels.length).length,
      scripts: document.scripts.length,
    })`)
    expect(seen).toEqual({ width: size.width, heights: expect.any(Array), unlabelled: 0, scripts: 0 })
    for (const height of seen.heights) expect(height).toBeGreaterThanOrEqual(44)
  }
}

/** The first heading after the button is pressed. */
const ends: Record<(typeof organizationLinkTypes)[number], string> = {
  magiclink: 'The application',
  signup: 'The application',
  invite: 'Welcome',
  recovery: 'Your password was changed',
  verification: 'Your email address is confirmed',
  unlock: 'Your account is unlocked',
  email_undo: 'Your address is restored',
  not_me: 'Every session has ended',
}

test.each(organizationLinkTypes)('%s: from the mail to its end, on every screen', async (type) => {
  const { person, link } = await mailLinkTo(app, tenant, type)
  const { subOrgId, email } = person
  await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [home] })
  await tenant.patch('/v1/mail/settings', { subOrgId, ...brand })
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(link.url.replace('http://localhost:4000', app.baseUrl))
  await expectToFit(page)
  expect(await page.getByLabel('Email address').inputValue()).toBe(email)
  if (type === 'invite' || type === 'recovery') {
    await page.getByLabel('New password').fill('password123')
    await page.getByRole('button').click()
    await page.getByRole('alert').waitFor()
    await expectToFit(page)
    await page.getByLabel('New password').fill(PASSWORD)
  }
  await page.getByRole('button').click()
  await page.getByRole('heading', { name: ends[type] }).waitFor()
  if (ends[type] === 'The application') {
    const landed = new URL(page.url())
    expect(landed.href.startsWith(home)).toBe(true)
    const redeem = type === 'signup' ? 'signup/authenticate-email' : 'login/magic-link'
    const body = { subOrgId, email, token_hash: landed.searchParams.get('token_hash') }
    expect((await tenant.post(`/v1/auth/${redeem}/verify`, body)).status).toBe(200)
  } else {
    await expectToFit(page)
    // The address bar and the history contain no secret.
    expect(page.url()).not.toContain(link.token_hash)
    await page.getByRole('link', { name: /^Continue to 127/ }).click()
    await page.getByRole('heading', { name: 'The application' }).waitFor()
    expect(page.url()).toBe(`${new URL(home).origin}/`)
  }
  if (type === 'invite' || type === 'recovery')
    expect((await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })).status).toBe(200)
  // Chromium reports responses with an error status on the console.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([])
  await page.close()
})

test('invite without a password: a button, and nothing to enter', async () => {
  const { person, link } = await mailLinkTo(app, tenant, 'invite')
  const { subOrgId, email } = person
  await tenant.patch('/v1/auth/settings', { subOrgId, email_password_enabled: false })
  const page = await browser.newPage()
  await page.goto(link.url.replace('http://localhost:4000', app.baseUrl))
  await page.getByRole('heading', { name: 'Accept the invitation' }).waitFor()
  await expectToFit(page)
  expect(await page.locator('input[type=password]').count()).toBe(0)
  expect(await page.getByLabel('Email address').inputValue()).toBe(email)
  await page.getByRole('button').click()
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  await expectToFit(page)
  expect(page.url()).not.toContain(link.token_hash)
  await page.close()
})

test('a link that is over, and one without an application, fit as well', async () => {
  const page = await browser.newPage()
  const { link } = await mailLinkTo(app, tenant, 'magiclink')
  await page.goto(link.url.replace('http://localhost:4000', app.baseUrl))
  await page.getByText('allowed_redirect_uris').waitFor()
  await expectToFit(page)
  await page.goto(`${app.baseUrl}/auth/link?token_hash=${'x'.repeat(3000)}`)
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await expectToFit(page)
  await page.close()
})
