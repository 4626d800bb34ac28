import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { findAxeViolations } from '../../../test/pages/axe.ts'
import { galleryNames, galleryPages, hostileNames } from '../../../test/pages/gallery.ts'
import { watchPolicy } from '../../../test/pages/policy-violations.ts'
import { openBrowser } from '../../../test/peers/browser.ts'
import { serve } from '../../../test/walkers/extra-routes.ts'
import { LANGUAGES } from '../messages/language.ts'

const service = await startApp()
const base = `${await serve(service, galleryPages)}/accounts/a/production/gallery`
const browser = await openBrowser()
const PHONE = { width: 320, height: 700 }

test.each(['light', 'dark'] as const)('every component has no finding of axe at 320 px, in %s', async (colorScheme) => {
  const page = await browser.newPage({ viewport: PHONE, colorScheme })
  const complaints = watchPolicy(page)
  for (const name of galleryNames)
    for (const accent of ['', '?accent=%232563eb', '?accent=%23ffee00']) {
      await page.goto(`${base}/${name}${accent}`)
      expect([name, accent, await findAxeViolations(page)]).toEqual([name, accent, []])
      expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 320])
      expect([name, await page.locator('h1').count()]).toEqual([name, 1])
    }
  expect(complaints).toEqual([])
  await page.close()
})

test.each(LANGUAGES)('texts of any kind fit at 320 px and run nothing, in %s', async (language) => {
  const page = await browser.newPage({ viewport: PHONE })
  const complaints = watchPolicy(page)
  for (const name of galleryNames)
    for (const text of ['', ...hostileNames]) {
      await page.goto(`${base}/${name}?language=${language}&text=${text}`)
      const seen = await page.evaluate(`[
        document.documentElement.scrollWidth, document.documentElement.lang, document.title === 'run',
        document.images.length, document.scripts.length,
        [...document.querySelectorAll('button,input:not([type=hidden]),.button')].filter((each) => each.offsetHeight < 44).length,
      ]`)
      expect([name, text, seen]).toEqual([name, text, [320, language, false, 0, 0, 0]])
    }
  expect(complaints).toEqual([])
  await page.close()
})

/** What the keyboard reaches, in order. */
async function tabStops(name: string): Promise<string[]> {
  const page = await browser.newPage({ viewport: PHONE })
  await page.goto(`${base}/${name}`)
  await page.evaluate('document.body.tabIndex = -1; document.body.focus()')
  const stops: string[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    const stop = String(
      await page.evaluate(
        `document.activeElement === document.body ? '' : (document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`,
      ),
    )
    if (stop === '' || stops.includes(stop)) break
    stops.push(stop)
  }
  await page.close()
  return stops
}

test('the keyboard reaches everything, in the order of the page', async () => {
  const help = 'help@acme.example'
  expect(await tabStops('email')).toEqual([
    'Email address',
    'Continue',
    'Sign in with a passkey',
    'Sign in to another organization',
    help,
  ])
  expect(await tabStops('alert')).toEqual(['Name', 'Reset your password', help])
  expect(await tabStops('methods')).toEqual([
    'Passkey Used last in this browser',
    'Single sign-on',
    'Email me a code',
    'Back',
    help,
  ])
})

test.each([
  ['email', 'field-email'],
  ['code', 'field-code'],
  ['code-error', 'field-code'],
  ['password', 'field-password'],
])('the focus of %s is on %s', async (name, id) => {
  const page = await browser.newPage()
  await page.goto(`${base}/${name}`)
  await page.waitForFunction(`document.activeElement.id === '${id}'`)
  await page.close()
})

test('an alert that concerns no field has the focus', async () => {
  const page = await browser.newPage()
  await page.goto(`${base}/alert`)
  await page.waitForFunction(`document.activeElement.getAttribute('role') === 'alert'`)
  await page.close()
})

test('label, error and hint are read with their field', async () => {
  const page = await browser.newPage()
  await page.goto(`${base}/code-error`)
  const field = page.getByRole('textbox', { name: 'Six digits from your app' })
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  const described = await page.evaluate(
    `document.querySelector('input').getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent)`,
  )
  expect(described).toEqual(['This code is wrong. Enter the newest one.', 'The code changes every 30 seconds.'])
  for (const [name, value] of [
    ['autocomplete', 'one-time-code'],
    ['inputmode', 'numeric'],
    ['autocapitalize', 'none'],
  ] as const)
    expect(await field.getAttribute(name)).toBe(value)
  await page.goto(`${base}/devices`)
  const second = page.getByRole('button', { name: 'Sign out', exact: true }).first()
  expect(await second.getAttribute('aria-describedby')).toBe('sessions-1')
  expect(await page.locator('#sessions-1').textContent()).toBe('Safari on iPhone')
  await page.close()
})

test('what the colors of the system replace is still there: borders of buttons, steps, the focus', async () => {
  const page = await browser.newPage({ forcedColors: 'active', reducedMotion: 'reduce' })
  await page.goto(`${base}/code-error`)
  const seen = await page.evaluate(`(() => {
    const button = getComputedStyle(document.querySelector('.button'))
    const [done, open] = ['.steps .done', '.steps i:not(.done)'].map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)
    return [button.borderTopStyle, button.borderTopWidth, done !== open, button.transitionDuration]
  })()`)
  expect(seen).toEqual(['solid', '1px', true, '0s'])
  await page.close()
})
