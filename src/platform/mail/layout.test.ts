import { expect, test } from 'vitest'
import { renderMail } from './layout.ts'

const content = {
  heading: 'Your code',
  paragraphs: ['Type this code where you are signing in.'],
  code: 'amber falcon',
  footer: 'It is of use for five minutes.',
}

test('has the code on a line of its own in the text', () => {
  const { text, html } = renderMail(content)
  expect(text.split('\n')).toContain('amber falcon')
  expect(text).toBe(
    'Your code\n\nType this code where you are signing in.\n\namber falcon\n\nIt is of use for five minutes.\n\n-- \nWatchword\n',
  )
  expect(html).toContain('>amber falcon</p>')
  expect(html).not.toContain('<a ')
})

test('shows the link as a button and in full', () => {
  const url = 'https://auth.example.com/link?token_hash=a&email=b%40c'
  const { text, html } = renderMail({ ...content, brandName: 'Acme', button: { label: 'Sign in', url } })
  expect(text.split('\n')).toContain(url)
  expect(text).toContain('-- \nAcme\n')
  expect(html).toContain('href="https://auth.example.com/link?token_hash=a&amp;email=b%40c"')
  expect(html).not.toContain('Watchword')
})

test('is readable on a phone, light and dark', () => {
  const { html } = renderMail(content)
  expect(html).toContain('name="viewport"')
  expect(html).toContain('<meta name="color-scheme" content="light dark">')
  expect(html).toContain('prefers-color-scheme:dark')
  expect(html).toContain('lang="en"')
})

test('escapes everything', () => {
  const hostile = `<script>alert("1")</script>'&`
  const { html } = renderMail({
    brandName: hostile,
    heading: hostile,
    paragraphs: [hostile],
    code: hostile,
    button: { label: hostile, url: `https://example.com/?x="><script>'` },
    footer: hostile,
  })
  expect(html).not.toMatch(/<script|"1"|x=">/)
  expect(html.match(/&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;&#39;&amp;/g)).toHaveLength(7)
})

test('keeps a name from adding lines', () => {
  const { text } = renderMail({ ...content, paragraphs: ['Eve\r\n\r\nother code\u2028\u202eand more invites you'] })
  expect(text).toContain('Eve other code and more invites you')
})

test.each(['javascript:alert(1)', 'data:text/html,x', '//example.com', ''])('refuses the link %j', (url) => {
  expect(() => renderMail({ ...content, button: { label: 'Sign in', url } })).toThrow()
})
