import { expect, test } from 'vitest'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import {
  arrived,
  callBack,
  connect,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'
import { cleanUpLogoutTokens } from './cleanup.ts'

const service = await startFederatedApp()
const { app } = service
const [peer, other] = [await startOpPeer(), await startOpPeer()]
const home = await provenOrganization(service)
const connectionId = await connect(home, peer.url)
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

async function signIn(name: string) {
  const { authorization_url, state } = await start(home, connectionId)
  const { code } = peer.signIn(authorization_url, { sub: name, email: `${name}@${home.domain}` })
  const { refresh_token = '' } = arrived(await callBack(app, { code, state }))
  return () => home.key.post('/v1/auth/token/introspect', { token: refresh_token }).then(({ body }) => body.active)
}

let jti = 0
const claimsOf = (sub: string): Record<string, unknown> => {
  const iat = Math.floor(Date.now() / 1000)
  return { iss: peer.url, aud: 'client', sub, iat, exp: iat + 120, jti: `j${++jti}`, events: { [EVENT]: {} } }
}

const send = (token: string, connection = connectionId) =>
  app
    .as(null)
    .post(`/v1/auth/login/sso/oidc/logout/${connection}`, new URLSearchParams({ logout_token: token }).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    })

test('ends the sessions of the person whom the provider names, and of nobody else', async () => {
  const [ada, bo] = [await signIn('ada'), await signIn('bo')]
  const again = await signIn('ada')
  expect((await send(peer.sign({ typ: 'logout+jwt' }, claimsOf('ada')))).status).toBe(204)
  expect([await ada(), await again(), await bo()]).toEqual([false, false, true])
  expect((await send(peer.sign({}, claimsOf('nobody')))).status).toBe(204)
  const events = await app.events({ accountId: service.tenant.accountId, type: 'session.revoked' })
  expect(events.map(({ data }) => Object(data).reason)).toEqual(['idp_logout', 'idp_logout'])
  expect(await (await signIn('ada'))()).toBe(true)
})

test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
  ['of another issuer', (claims) => ({ ...claims, iss: other.url })],
  ['for another audience', (claims) => ({ ...claims, aud: 'x' })],
  ['that is an ID token', ({ events: _, ...claims }) => ({ ...claims, nonce: 'n' })],
  ['with a nonce', (claims) => ({ ...claims, nonce: 'n' })],
  ['of another event', (claims) => ({ ...claims, events: { other: {} } })],
  ['whose event is no object', (claims) => ({ ...claims, events: { [EVENT]: true } })],
  ['without a jti', ({ jti: _, ...claims }) => claims],
  ['that has expired', (claims) => ({ ...claims, exp: 1 })],
  ['that is old', (claims) => ({ ...claims, iat: Number(claims['iat']) - 400 })],
  ['that names nobody', ({ sub: _, ...claims }) => claims],
])('refuses a token %s', async (_, change) => {
  const isLive = await signIn('cy')
  const reply = await send(peer.sign({}, change(claimsOf('cy'))))
  expect([reply.status, await isLive()]).toEqual([400, true])
})

test('refuses a token that the provider has not signed, or at another connection', async () => {
  const isLive = await signIn('di')
  const token = peer.sign({}, claimsOf('di'))
  const [header, payload] = token.split('.')
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
  for (const wrong of [other.sign({}, claimsOf('di')), none, `${header}.${payload}.`, 'x', ''])
    expect((await send(wrong)).status).toBe(400)
  const elsewhere = await connect(await provenOrganization(service), other.url)
  for (const connection of [elsewhere, connectionId.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'x'])
    expect((await send(token, connection)).status).toBe(400)
  expect(await isLive()).toBe(true)
})

test('a provider whose connection is not active signs nobody out', async () => {
  const isLive = await signIn('gus')
  const set = (status: string) => home.key.patch(`/v1/sso/connections/${connectionId}`, { subOrgId: home.id, status })
  for (const status of ['testing', 'error', 'draft']) {
    expect((await set(status)).status).toBe(200)
    expect((await send(peer.sign({}, claimsOf('gus')))).status).toBe(400)
  }
  expect(await isLive()).toBe(true)
  await set('active')
  expect((await send(peer.sign({}, claimsOf('gus')))).status).toBe(204)
  expect(await isLive()).toBe(false)
})

test('takes a token once: whoever sends it again ends nothing', async () => {
  const token = peer.sign({}, claimsOf('ed'))
  const sent = await Promise.all(Array.from({ length: 5 }, () => send(token)))
  expect(sent.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400, 400])
  const isLive = await signIn('ed')
  const replayed = await send(token)
  expect([replayed.status, await isLive()]).toEqual([400, true])
  // The same jti counts as another token at another connection.
  const { iss: _, ...claims } = claimsOf('ed')
  const elsewhere = await connect(await provenOrganization(service), other.url)
  expect((await send(peer.sign({}, { ...claims, iss: peer.url }))).status).toBe(204)
  expect((await send(other.sign({}, { ...claims, iss: other.url }), elsewhere)).status).toBe(204)
  expect(await isLive()).toBe(false)
})

test('remembers a token for as long as it would be taken', async () => {
  const isLive = await signIn('flo')
  const iat = Math.floor(Date.now() / 1000)
  const token = peer.sign({}, { ...claimsOf('flo'), iat, exp: iat + 3600 })
  expect((await send(token)).status).toBe(204)
  await app.advance(290)
  await cleanUpLogoutTokens.handle(app.app.platform, {}, 1)
  expect((await send(token)).status).toBe(400)
  await app.advance(4000)
  await cleanUpLogoutTokens.handle(app.app.platform, {}, 1)
  expect(await app.app.platform.db.selectFrom('logout_tokens').selectAll().execute()).toEqual([])
  expect(await isLive()).toBe(false)
  await app.advance(-4290)
})

test('refuses a subject that is no text', async () => {
  for (const sub of ['cy\u0000', '\ud800']) expect((await send(peer.sign({}, claimsOf(sub)))).status).toBe(400)
})
