import { expect, test } from 'vitest'
import { renderFormPage } from './form-page.ts'

const brand = { name: 'Acme <b>', logoUrl: null, supportEmail: 'help@acme.example' }

test('a form to a provider is a card of the brand, with a button for who runs no script', () => {
  const target = 'https://idp.example/sso?a=1&b="'
  const { html, contentSecurityPolicy } = renderFormPage(
    { brand, language: 'en' },
    { target, fields: [['x', '"><i>']], purpose: 'signIn' },
  )
  expect(html).toContain('<header>Acme &lt;b&gt;</header>')
  expect(html).toContain('<h1>Continue to your organization</h1>')
  expect(html).toContain('<button class="button">Continue</button>')
  expect(html).toContain('help@acme.example')
  expect(html).not.toContain('<i>')
  expect(contentSecurityPolicy).toMatch(
    /^default-src 'none'; .*; form-action https: https:\/\/idp\.example; script-src 'sha256-[^' ]+'$/,
  )
})

test('a form to a local service may be redirected by http, to an application of the same machine', () => {
  const { contentSecurityPolicy } = renderFormPage(
    { brand, language: 'en' },
    { target: 'http://localhost:4000/acs', fields: [], purpose: 'signIn' },
  )
  expect(contentSecurityPolicy).toContain('form-action http: https: http://localhost:4000;')
})

test('who signs out is not told of a sign-in', () => {
  const { html } = renderFormPage(
    { brand, language: 'en' },
    { target: 'https://idp.example/slo', fields: [], purpose: 'signOut' },
  )
  expect(html).toContain('<h1>Signing out</h1>')
  expect(html).not.toContain('sign-in')
})

test('the host of a provider begins no other directive', () => {
  for (const target of ['https://idp.example;script-src*/', 'http://idp.example;script-src*/']) {
    const { contentSecurityPolicy } = renderFormPage(
      { brand, language: 'en' },
      { target, fields: [], purpose: 'signIn' },
    )
    expect(contentSecurityPolicy).toMatch(/form-action https:; script-src 'sha256-[^' ]+'$/)
  }
})
