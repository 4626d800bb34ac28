import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { openBrowser } from '../../../test/browser.ts'
import { startApp } from '../../../test/harness.ts'
import { mailLinkTo, organizationLinkTypes } from '../../../test/mailed-links.ts'

const app = await startApp()
const tenant = await app.tenant()
const browser = await openBrowser()
const PASSWORD = 'correct horse battery staple'

// The application that the pages lead to.
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

async function expectToFit(page: Page, width: number) {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  const heights = await page.evaluate(
    `[...document.querySelectorAll('input:not([type=hidden]),.button')].map((each) => each.offsetHeight)`,
  )
  for (const height of Array.isArray(heights) ? heights : []) expect(height).toBeGreaterThanOrEqual(44)
  const unlabelled = await page.evaluate(
    `[...document.querySelectorAll('input:not([type=hidden])')].filter((each) => !each.labels.length).length`,
  )
  expect(unlabelled).toBe(0)
  expect(await page.evaluate('document.scripts.length')).toBe(0)
}

/** The first heading after the button. */
const ends: Record<(typeof organizationLinkTypes)[number], string> = {
  magiclink: 'The application',
  signup: 'The application',
  invite: 'Welcome',
  recovery: 'Your password was changed',
  verification: 'Your email address is confirmed',
  unlock: 'Your account is unlocked',
  email_undo: 'Your address is back',
  not_me: 'Every session has ended',
}

const screens = [
  { name: 'on a phone, light', viewport: { width: 360, height: 740 }, colorScheme: 'light' as const },
  { name: 'on a phone, dark', viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const },
  { name: 'on a desktop, light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' as const },
  { name: 'on a desktop, dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' as const },
]
const cases = organizationLinkTypes.flatMap((type) => screens.map((screen) => [type, screen.name, screen] as const))

test.each(cases)('%s: from the mail to its end, %s', async (type, _, { viewport, colorScheme }) => {
  const { person, link } = await mailLinkTo(app, tenant, type)
  const { subOrgId, email } = person
  await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [home] })
  await tenant.patch('/v1/mail/settings', { subOrgId, ...brand })
  const page = await browser.newPage({ viewport, colorScheme })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(link.url.replace('http://localhost:4000', app.baseUrl))
  await expectToFit(page, viewport.width)
  expect(await page.getByLabel('Email address').inputValue()).toBe(email)
  if (type === 'invite' || type === 'recovery') {
    await page.getByLabel('New password').fill('password123')
    await page.getByRole('button').click()
    await page.getByRole('alert').waitFor()
    await expectToFit(page, viewport.width)
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
    await expectToFit(page, viewport.width)
    // What stays in the address bar and in the history holds no secret.
    expect(page.url()).not.toContain(link.token_hash)
    await page.getByRole('link', { name: /^Continue to 127/ }).click()
    await page.getByRole('heading', { name: 'The application' }).waitFor()
    expect(page.url()).toBe(`${new URL(home).origin}/`)
  }
  if (type === 'invite' || type === 'recovery')
    expect((await tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })).status).toBe(200)
  // Chromium reports the status of an answer that refuses.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([])
  await page.close()
})

test.each(screens)(
  'a link that is over, and one without an application, fit as well, $name',
  async ({ viewport, colorScheme }) => {
    const page = await browser.newPage({ viewport, colorScheme })
    const { link } = await mailLinkTo(app, tenant, 'magiclink')
    await page.goto(link.url.replace('http://localhost:4000', app.baseUrl))
    await page.getByText('allowed_redirect_uris').waitFor()
    await expectToFit(page, viewport.width)
    await page.goto(`${app.baseUrl}/auth/link?token_hash=${'x'.repeat(3000)}`)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await expectToFit(page, viewport.width)
    await page.close()
  },
)
