import { describe, expect, test } from 'vitest'
import { openBrowser } from '../../../test/peers/browser.ts'
import { type Brand, OWN_BRAND } from './brand.ts'
import { renderMail } from './layout.ts'
import type { MailContent } from './message.ts'
import { layOut } from './parts.ts'

/** Renders a feature's content with the standard English texts. */
function render(content: MailContent, brand: Brand) {
  const written = { subject: content.heading, content }
  return renderMail(layOut(written, { brand: brand.name }, [], 'en'), brand, 'en')
}

const content: MailContent = {
  heading: 'Your code',
  paragraphs: ['Type this code where you are signing in.'],
  code: 'amber falcon',
  footer: 'It is of use for five minutes.',
}
const acme = {
  name: 'Acme & Sons',
  logoUrl: 'https://cdn.example.com/logo.png?a=1&b="2',
  supportEmail: "o'help@acme.example",
  accentColor: null,
}
const url = 'https://auth.example.com/link?token_hash=a&email=b%40c'

test('has the code on a line of its own in the text', () => {
  const { text, html } = render(content, OWN_BRAND)
  expect(text).toBe(
    'Your code\n\nType this code where you are signing in.\n\namber falcon\n\nIt is of use for five minutes.\n\n-- \nWatchword\n',
  )
  expect(html).toContain('>amber falcon</p>')
  expect(html).not.toMatch(/<a |<img/)
})

test('shows the link as a button and in full, and a code below it as the other way', () => {
  const { text, html } = render({ ...content, button: { label: 'Sign in', url } }, OWN_BRAND)
  expect(text).toContain(`signing in.\n\nSign in:\n${url}\n\nOr enter this code:\n\namber falcon\n\nIt is`)
  expect(html).toContain('href="https://auth.example.com/link?token_hash=a&amp;email=b%40c"')
  expect(html.indexOf('Or enter this code:')).toBeGreaterThan(html.indexOf('class="button"'))
  const labelled = render({ ...content, codeLabel: 'Your words:' }, OWN_BRAND)
  expect(labelled.text).toContain('signing in.\n\nYour words:\n\namber falcon\n')
})

test('carries the brand: its logo or its name, and where to find help', () => {
  const { text, html } = render({ ...content, heading: 'Welcome to {brand}', footer: '{brand}, {other}.' }, acme)
  expect(text).toMatch(/^Welcome to Acme & Sons\n/)
  expect(text).toContain("Acme & Sons, {other}.\n\n-- \nAcme & Sons\nNeed help? Contact o'help@acme.example\n")
  expect(html).toContain('<img src="https://cdn.example.com/logo.png?a=1&amp;b=&quot;2" alt="Acme &amp; Sons"')
  expect(html).toContain('max-height:40px')
  expect(html).toContain('href="mailto:o&#39;help@acme.example"')
  expect(html).not.toContain('Watchword')
})

test('leaves a brand whose name looks like a pattern as it is', () => {
  const { text } = render({ ...content, heading: 'By {brand}' }, { ...OWN_BRAND, name: '$& {brand}' })
  expect(text).toMatch(/^By \$& \{brand\}\n/)
})

test('escapes everything', () => {
  const hostile = `<script>alert("1")</script>'&`
  const { html } = render(
    {
      heading: hostile,
      paragraphs: [hostile],
      code: hostile,
      codeLabel: hostile,
      button: { label: hostile, url: `https://example.com/?x="><script>'` },
      footer: hostile,
    },
    { name: hostile, logoUrl: null, supportEmail: `"><script>@example.com`, accentColor: null },
  )
  expect(html).not.toMatch(/<script|"1"|x=">|"><script/)
  expect(html.match(/&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;&#39;&amp;/g)).toHaveLength(8)
})

test('keeps a name from adding lines', () => {
  const { text } = render(
    { ...content, paragraphs: ['Eve\r\n\r\nother code\u2028\u202eand more invites you'] },
    OWN_BRAND,
  )
  expect(text).toContain('Eve other code and more invites you')
})

test.each(['javascript:alert(1)', 'data:text/html,x', '//example.com', ''])('refuses the link %j', (link) => {
  expect(() => render({ ...content, button: { label: 'Sign in', url: link } }, OWN_BRAND)).toThrow()
})

describe('in a browser', async () => {
  const browser = await openBrowser()

  test.each(['light', 'dark'] as const)('fits a phone, in %s', async (colorScheme) => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 }, colorScheme })
    const long = {
      ...content,
      paragraphs: ['Ünbelievably'.repeat(20)],
      button: { label: 'Sign in', url: `${url}${'x'.repeat(200)}` },
    }
    await page.setContent(render(long, { ...acme, logoUrl: null }).html)
    const looks = await page.evaluate(`[
      document.documentElement.scrollWidth,
      getComputedStyle(document.querySelector('.card')).backgroundColor,
      getComputedStyle(document.querySelector('.code')).color,
    ]`)
    expect(looks).toEqual(
      colorScheme === 'light'
        ? [360, 'rgb(255, 255, 255)', 'rgb(22, 23, 26)']
        : [360, 'rgb(28, 29, 32)', 'rgb(242, 243, 245)'],
    )
    await page.close()
  })
})
