import { expect, test } from 'vitest'
import { renderFormPage } from './form-page.ts'
import { writeHtml } from './html.ts'

const brand = { name: 'Acme <b>', logoUrl: null, supportEmail: 'help@acme.example', accentColor: null }

function render(target: string, fields: [string, string][] = [], purpose: 'signIn' | 'signOut' = 'signIn') {
  const page = renderFormPage({ brand, language: 'en' }, { target, fields, purpose })
  return { ...page, text: writeHtml(page.html) }
}

test('a form to a provider is a card of the brand, with a button for browsers that run no script', () => {
  const { text, contentSecurityPolicy } = render('https://idp.example/sso?a=1&b="', [['x', '"><i>']])
  expect(text).toContain('<header dir="auto">Acme &lt;b&gt;</header>')
  expect(text).toContain('<h1>Continue to your organization</h1>')
  expect(text).toContain('<form method="post" action="https://idp.example/sso?a=1&amp;b=%22">')
  expect(text).toContain('<button class="button">Continue</button>')
  expect(text).toMatch(/<script src="\/assets\/send-form\.[\da-f]{16}\.js" defer><\/script>/)
  expect(text).toContain('help@acme.example')
  expect(text).not.toContain('<i>')
  expect(contentSecurityPolicy).toContain("; script-src 'self'; ")
  expect(contentSecurityPolicy).toContain("; form-action 'self' https: https://idp.example; ")
})

test('a form to a local service may be redirected by http, to an application of the same machine', () => {
  const { contentSecurityPolicy } = render('http://localhost:4000/acs')
  expect(contentSecurityPolicy).toContain("form-action 'self' http: https: http://localhost:4000;")
})

test('a page for signing out does not mention a sign-in', () => {
  const { text } = render('https://idp.example/slo', [], 'signOut')
  expect(text).toContain('<h1>Signing out</h1>')
  expect(text).not.toContain('sign-in')
})

test('the host of a provider begins no other directive', () => {
  for (const target of ['https://idp.example;script-src*/', 'http://idp.example;script-src*/'])
    expect(render(target).contentSecurityPolicy).toContain("; form-action 'self' https:; ")
})
