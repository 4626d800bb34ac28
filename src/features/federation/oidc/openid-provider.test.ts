import { once } from 'node:events'
import { createServer as createWebServer } from 'node:http'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { decodeJwt } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { openBrowser } from '../../../../test/peers/browser.ts'
import { startOidcPeer } from '../../../../test/peers/oidc-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  arrived,
  callBack,
  connect,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'

// Tests with a third-party provider in a separate process.

/** A relay, so that browsers can reach the service at an address that is known before the service has a port. */
const sockets = new Set<Socket>()
const relay = createServer((socket) => {
  sockets.add(socket)
  const onward = dial(Number(new URL(service.app.baseUrl).port), '127.0.0.1')
  socket.pipe(onward).pipe(socket)
  socket.on('error', () => onward.destroy())
  socket.on('close', () => onward.destroy())
  onward.on('error', () => socket.destroy())
})
const baseUrl = await listen(relay)
const web = createWebServer((_, response) => response.end('Welcome'))
const application = `${await listen(web)}/auth`

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

const service = await startFederatedApp({ WATCHWORD_BASE_URL: baseUrl })
const { app } = service
// Browsers keep connections open, and the service would wait for them to close.
afterAll(() => {
  for (const socket of sockets) socket.destroy()
})

const SECRET = 'a secret: with + and % in it'
const client = (
  { oidc_client_id: name, connection }: Organization,
  method: 'client_secret_basic' | 'client_secret_post',
) => ({
  client_id: name,
  client_secret: SECRET,
  redirect_uris: [`${baseUrl}/api/v1/auth/login/sso/oidc/callback/${connection}`],
  post_logout_redirect_uris: [`${baseUrl}/api/v1/auth/login/sso/oidc/logged-out`],
  token_endpoint_auth_method: method,
})
type Organization = Awaited<ReturnType<typeof organization>>
const organization = async (oidc_client_id: string, oidc_client_auth: string) => {
  const home = await provenOrganization(service)
  const fields = { oidc_client_id, oidc_client_auth, status: 'draft' }
  const mapping = { group_role_mapping: { admins: 'admin' }, default_role: 'member' }
  // The provider needs the redirect URI, so the connection is created first and gets the provider's address later.
  return { home, oidc_client_id, connection: await connect(home, 'https://later.example', { ...fields, ...mapping }) }
}
const acme = await organization('acme', 'client_secret_basic')
const globex = await organization('globex', 'client_secret_post')
const peer = await startOidcPeer([client(acme, 'client_secret_basic'), client(globex, 'client_secret_post')])
const there = { oidc_issuer: peer.issuer, oidc_client_secret: SECRET, status: 'active' }
for (const { home, connection } of [acme, globex])
  succeeded(await home.key.patch(`/v1/sso/connections/${connection}`, there))

test('signs in by a client of either kind, with roles from groups, and after a change of keys', async () => {
  const come = async ({ home, connection }: typeof acme, login: string) => {
    const { authorization_url } = await start(home, connection)
    const back = await peer.signIn(authorization_url, login)
    return decodeJwt(arrived(await callBack(app, Object.fromEntries(back.searchParams)))['access_token'] ?? '')
  }
  for (const each of [acme, globex]) {
    const { id, domain } = each.home
    const email = `ada@${domain}`
    expect(await come(each, `${email} admins`)).toMatchObject({ email, role: 'admin', org_id: id })
  }
  await peer.rotate('second')
  for (const each of [acme, globex])
    expect(await come(each, `bo@${each.home.domain}`)).toMatchObject({ role: 'member', org_id: each.home.id })
})

test('two people in real browsers, of two organizations at once', async () => {
  const browser = await openBrowser()
  const visit = async ({ home: organization, connection }: typeof acme) => {
    const page = await (await browser.newContext()).newPage()
    const { authorization_url, state } = await start(organization, connection, {
      response_mode: 'code',
      redirectUri: application,
    })
    await page.goto(authorization_url)
    await page.fill('input[name=login]', `cy@${organization.domain}`)
    await page.click('button')
    await page.waitForURL(`${application}?*`)
    const { searchParams } = new URL(page.url())
    expect([...searchParams.keys()].sort()).toEqual(['code', 'state'])
    expect(searchParams.get('state')).toBe(state)
    const { body } = await organization.key.post('/v1/auth/token/exchange', { code: searchParams.get('code') })
    return decodeJwt(body.session.access_token)
  }
  const [first, second] = await Promise.all([visit(acme), visit(globex)])
  expect(first).toMatchObject({ org_id: acme.home.id, email: `cy@${acme.home.domain}` })
  expect(second).toMatchObject({ org_id: globex.home.id, email: `cy@${globex.home.domain}` })
})

test('somebody signs out here, and at the provider, in a real browser', async () => {
  const page = await (await (await openBrowser()).newContext()).newPage()
  const { home: organization, connection } = acme
  const begin = () => start(organization, connection, { response_mode: 'code', redirectUri: application })
  await page.goto((await begin()).authorization_url)
  await page.fill('input[name=login]', `di@${organization.domain}`)
  await page.click('button')
  await page.waitForURL(`${application}?*`)
  const code = new URL(page.url()).searchParams.get('code')
  const { session } = (await organization.key.post('/v1/auth/token/exchange', { code })).body
  // The user is still signed in at the provider, which does not ask again.
  await page.goto((await begin()).authorization_url)
  await page.waitForURL(`${application}?*`)
  const { refresh_token } = session
  const body = { refresh_token, redirectUri: application, state: 'goodbye' }
  const { logoutUrl } = (await organization.key.post('/v1/auth/login/sso/logout', body)).body
  await page.goto(logoutUrl)
  await page.click('button[name=logout]')
  await page.waitForURL(`${application}?state=goodbye`)
  await page.goto((await begin()).authorization_url)
  expect(await page.isVisible('input[name=login]')).toBe(true)
  const { active } = (await organization.key.post('/v1/auth/token/introspect', { token: refresh_token })).body
  expect(active).toBe(false)
})
