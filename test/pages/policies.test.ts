import { expect, test } from 'vitest'
import { html, trustOwnFile } from '../../src/platform/pages/html.ts'
import { definePage } from '../../src/platform/pages/pages.ts'
import { routes } from '../../src/wiring/routes.ts'
import { fresh } from '../fresh.ts'
import { startApp } from '../harness.ts'
import { openBrowser } from '../peers/browser.ts'
import { freePort } from '../peers/free-port.ts'
import { succeeded } from '../people/factors.ts'
import { linkTypes, mailLinkTo, organizationLinkTypes } from '../people/mailed-links.ts'
import { serve } from '../walkers/extra-routes.ts'
import { watchPolicy } from './policy-violations.ts'

// Every page is opened in a browser, which reports what the policy of the page refuses.

const port = await freePort()
const base = `http://localhost:${port}`
const app = await startApp({ port, env: { NODE_ENV: 'development', WATCHWORD_BASE_URL: base } })
const tenant = await app.tenant()
const browser = await openBrowser()

/** A file that no browser shows. */
const FILE = null

/** The paths of the service's pages, and of each what is opened. */
const PAGES: Record<string, (() => Promise<string[]>) | null> = {
  '/assets/{file}': FILE,
  '/auth/link': async () => {
    const links = organizationLinkTypes.map(async (type) => (await mailLinkTo(app, tenant, type)).link.url)
    return ['/auth/link', '/auth/link?type=a&type=b', ...(await Promise.all(links))]
  },
  '/dev/idp': async () => ['/dev/idp', '/dev/idp?domain=acme.test'],
  '/dev/idp/{domain}': async () => ['/dev/idp/acme.test'],
  '/dev/idp/{domain}/.well-known/openid-configuration': FILE,
  '/dev/idp/{domain}/oidc/authorize': async () => {
    const { subOrgId, id } = await connect('oidc')
    return ['/dev/idp/acme.test/oidc/authorize', await start(subOrgId, id)]
  },
  '/dev/idp/{domain}/oidc/jwks': FILE,
  '/dev/idp/{domain}/oidc/logout': async () => ['/dev/idp/acme.test/oidc/logout'],
  '/dev/idp/{domain}/oidc/token': FILE,
  '/dev/idp/{domain}/saml/begin': async () => {
    const { domain, id } = await connect('saml')
    return [`/dev/idp/${domain}/saml/begin`, `/dev/idp/${domain}/saml/begin?connectionId=${id}`]
  },
  '/dev/idp/{domain}/saml/logout': async () => ['/dev/idp/acme.test/saml/logout'],
  '/dev/idp/{domain}/saml/metadata': FILE,
  '/dev/idp/{domain}/saml/sso': async () => {
    const { subOrgId, id } = await connect('saml')
    const url = await start(subOrgId, id)
    return ['/dev/idp/acme.test/saml/sso', url, `${url}&fault=none1`]
  },
  '/dev/idp/{domain}/scim': async () => ['/dev/idp/acme.test/scim'],
  '/dev/mail': async () => {
    await mailLinkTo(app, tenant, 'magiclink')
    return ['/dev/mail']
  },
  '/dev/mail/{id}': async () => {
    await mailLinkTo(app, tenant, 'magiclink')
    const list = await (await fetch(`${base}/dev/mail`)).text()
    return [/"(\/dev\/mail\/[^"]+)"/.exec(list)?.[1] ?? '']
  },
  '/docs': async () => ['/docs'],
  '/docs/errors': async () => ['/docs/errors'],
  '/docs/events': async () => ['/docs/events'],
  '/docs/guides': async () => ['/docs/guides'],
  '/docs/guides/{section}/{guide}': async () => ['/docs/guides/sign-in/mfa'],
  '/docs/images/{name}': FILE,
  '/docs/reference/{tag}': async () => ['/docs/reference/users'],
  '/docs/search': async () => ['/docs/search?q=code', '/docs/search'],
  '/v1/auth/login/sso/saml/metadata/{connectionId}': FILE,
  '/v1/auth/login/sso/saml/request/{connectionId}': async () => {
    const { subOrgId, id } = await connect('saml', { request_binding: 'post' })
    return [await start(subOrgId, id)]
  },
}

async function connect(protocol: 'saml' | 'oidc', more: Record<string, unknown> = {}) {
  const subOrgId = await tenant.organization()
  const domain = `${fresh()}.test`
  const { domain: added } = succeeded(await tenant.post('/v1/admin-portal', { subOrgId, action: 'add_domain', domain }))
  succeeded(await tenant.post('/v1/admin-portal', { subOrgId, action: 'verify_domain', domainId: added.id }))
  const provider = `${base}/dev/idp/${domain}`
  const fields =
    protocol === 'saml'
      ? { idp_metadata_url: `${provider}/saml/metadata`, allow_idp_initiated: true }
      : { oidc_issuer: provider, oidc_client_id: 'watchword', oidc_client_secret: 'any text' }
  const made = await tenant.post('/v1/sso/connections', { subOrgId, name: 'Acme', protocol, ...fields, ...more })
  const { id } = succeeded(made).connection
  succeeded(await tenant.patch(`/v1/sso/connections/${id}?subOrgId=${subOrgId}`, { status: 'active' }))
  return { subOrgId, domain, id }
}

async function start(subOrgId: string, connectionId: string): Promise<string> {
  const body = { subOrgId, connectionId, redirectUri: 'http://localhost:3000/auth', response_mode: 'code' }
  return succeeded(await tenant.post('/v1/auth/login/sso/start', body)).authorization_url
}

test('every page of the service is listed', () => {
  const pages = routes.filter(({ auth, method }) => auth === 'page' && method === 'GET').map(({ path }) => path)
  expect(pages.toSorted()).toEqual(Object.keys(PAGES).toSorted())
  expect(linkTypes.filter((type) => ![...organizationLinkTypes, 'discovery'].includes(type))).toEqual([])
})

const shown = Object.entries(PAGES).flatMap(([path, open]) => (open ? [[path, open] as const] : []))

test.each(shown)('%s loads what it needs, and nothing that its policy refuses', async (_, open) => {
  const page = await browser.newPage()
  const complaints = watchPolicy(page)
  for (const url of await open()) {
    const answer = await page.goto(new URL(url, base).href.replace('http://localhost:4000', base), {
      waitUntil: 'load',
    })
    expect([url, answer?.headers()['content-type']]).toEqual([url, 'text/html; charset=utf-8'])
    expect([
      url,
      await page.evaluate('document.styleSheets.length > 1 && document.querySelectorAll("h1").length'),
    ]).toEqual([url, 1])
    expect([url, await page.evaluate('document.querySelectorAll("style,script:not([src]),[style]").length')]).toEqual([
      url,
      0,
    ])
  }
  expect(complaints).toEqual([])
  await page.close()
})

test('a form to a provider sends itself, and has a button where no script runs', async () => {
  const { subOrgId, domain, id } = await connect('saml', { request_binding: 'post' })
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(await start(subOrgId, id))
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${base}/dev/idp/${domain}/saml/sso`)
    await context.close()
  }
})

test('what a page may not load is noticed', async () => {
  const inline = trustOwnFile('<p style="color:red">x</p><script>1</script><img src="https://foreign.example/x.png">')
  const origin = await serve(
    app,
    definePage({ path: '/test/inline', summary: 'A bad page', render: async () => html`${inline}` }),
  )
  const page = await browser.newPage()
  const complaints = watchPolicy(page)
  await page.goto(`${origin}/test/inline`)
  const directives = complaints.map((text) => /directive:? ['"](\S+)/.exec(text)?.[1])
  // The page has no script, so its policy names none.
  expect(directives.toSorted()).toEqual(['default-src', 'img-src', 'style-src'])
  await page.close()
})
