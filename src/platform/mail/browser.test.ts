import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { openBrowser } from '../../../test/peers/browser.ts'
import { succeeded } from '../../../test/people/factors.ts'
import { newEmail, newUser } from '../../../test/people/people.ts'

const app = await startApp()
const browser = await openBrowser()

const screens = [
  { name: 'on a phone, light', viewport: { width: 360, height: 740 }, colorScheme: 'light' as const },
  { name: 'on a desktop, dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' as const },
]

test.each(screens)('new mails appear above what is being read, $name', async ({ viewport, colorScheme }) => {
  const owner = await app.tenant()
  const subOrgId = await owner.organization()
  const page = await browser.newPage({ viewport, colorScheme })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await page.clock.install()
  const [first, second] = [await newUser(owner, { subOrgId }), await newUser(owner, { subOrgId })]
  const ask = async (path: string, body: object) =>
    succeeded(await owner.post(`/v1/auth/${path}`, { subOrgId, ...body }))
  await ask('login/otp/send', { email: first.email })
  await page.goto(`${app.baseUrl}/dev/mail`)
  const firstRow = page.getByRole('listitem').filter({ hasText: first.email })
  await firstRow.waitFor()
  await firstRow.getByText(first.email).selectText()

  await ask('login/otp/send', { email: second.email })
  const stranger = newEmail()
  await ask('login/otp/send', { email: stranger })
  await ask('signup/otp/send', { email: newEmail(), openSignup: false })
  await ask('login/magic-link/send', { email: second.email, deliver: false })
  await page.clock.fastForward(3000)
  const rows = page.getByRole('listitem')
  await rows.filter({ hasText: second.email }).first().waitFor()
  expect((await rows.allInnerTexts()).slice(0, 5).map((text) => text.split('\n')[0])).toEqual([
    'Not sent: the link was returned to the caller (deliver: false)',
    'Not sent: no user of this organization has this address, and the request did not allow a new user: send openSignup, and try again after half a minute',
    'Not sent: no user of this organization has this address',
    'Your sign-in code',
    'Your sign-in code',
  ])
  expect(await rows.filter({ hasText: stranger }).getByRole('link').count()).toBe(0)
  expect(await page.getByRole('status').textContent()).toBe('4 new')
  // The reader's selection is unchanged.
  expect(await page.evaluate('String(getSelection()).trim()')).toBe(first.email)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)

  await page.clock.fastForward(3000)
  expect(complaints).toEqual([])
  await rows.filter({ hasText: second.email }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Your sign-in code' }).first().waitFor()
  await page.close()
})
