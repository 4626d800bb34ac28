import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { openBrowser } from '../../../../test/peers/browser.ts'
import { freePort } from '../../../../test/peers/free-port.ts'
import { startIdp } from '../../../../test/peers/saml-idp-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { providerPair, verifyDomain } from '../../../../test/people/saml-connection.ts'

// The service runs at its real address, because browsers compare the address with the policy of the pages.
const port = await freePort()
const env = { WATCHWORD_BASE_URL: `http://localhost:${port}`, WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' }
const app = await startApp({ port, env })
const tenant = await app.tenant()
const idp = await startIdp({ pairs: [providerPair], serviceOrigin: app.baseUrl })
const browser = await openBrowser()

const application = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<link rel="icon" href="data:,"><h1>The application</h1>')
})
await once(application.listen(0, '127.0.0.1'), 'listening')
afterAll(() => application.close())
const address = application.address()
const home = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/signed-in`

async function connect(requestBinding: 'redirect' | 'post') {
  const subOrgId = await tenant.organization()
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, subOrgId, domain)
  await tenant.patch('/v1/auth/settings', { subOrgId, allowed_redirect_uris: [home] })
  const fields = { name: 'Acme', protocol: 'saml', idp_metadata_url: idp.metadataUrl, request_binding: requestBinding }
  const { connection } = succeeded(await tenant.post('/v1/sso/connections', { subOrgId, ...fields }))
  succeeded(await tenant.patch(`/v1/sso/connections/${connection.id}?subOrgId=${subOrgId}`, { status: 'active' }))
  return { subOrgId, domain, connectionId: connection.id }
}

/** Signs in through the provider's form, and returns to the application. */
async function signIn({ subOrgId, domain, connectionId }: Awaited<ReturnType<typeof connect>>) {
  const body = { subOrgId, connectionId, redirectUri: home, response_mode: 'code' }
  const started = succeeded(await tenant.post('/v1/auth/login/sso/start', body))
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(started.authorization_url)
  await page.getByRole('heading', { name: 'The provider' }).waitFor()
  await page.getByLabel('User').fill(`ada@${domain}`)
  await page.getByRole('button').click()
  await page.getByRole('heading', { name: 'The application' }).waitFor()
  const landed = new URL(page.url()).searchParams
  expect(landed.get('state')).toBe(started.state)
  expect(complaints).toEqual([])
  await page.close()
  const { session } = succeeded(await tenant.post('/v1/auth/token/exchange', { subOrgId, code: landed.get('code') }))
  const { user } = succeeded(await tenant.get(`/v1/users/${session.directory_user_id}?subOrgId=${subOrgId}`))
  return { user, session }
}

test('people of two organizations sign in at a provider by their browsers, at the same time', async () => {
  const [acme, globex] = [await connect('redirect'), await connect('post')]
  const [{ user: ada }, { user: bob }] = await Promise.all([signIn(acme), signIn(globex)])
  expect(ada).toMatchObject({ email: `ada@${acme.domain}`, subOrgId: acme.subOrgId, source: 'sso' })
  expect(bob).toMatchObject({ email: `ada@${globex.domain}`, subOrgId: globex.subOrgId, source: 'sso' })
})

test('somebody signs out here, and at the provider, by their browser', async () => {
  const acme = await connect('redirect')
  const { session } = await signIn(acme)
  const { subOrgId } = acme
  const body = { subOrgId, refresh_token: session.refresh_token, redirectUri: home, state: 'goodbye' }
  const { logoutUrl } = succeeded(await tenant.post('/v1/auth/login/sso/logout', body))
  const page = await browser.newPage()
  await page.goto(logoutUrl)
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  await page.getByRole('link').click()
  await page.getByRole('heading', { name: 'The application' }).waitFor()
  expect(page.url()).toBe(`${home}?state=goodbye`)
  const seen = await tenant.post('/v1/auth/token/introspect', { subOrgId, token: session.refresh_token })
  expect(seen.body.active).toBe(false)
})
