import { expect, test } from 'vitest'
import { until } from '../../../../test/harness.ts'
import { type OpPeer, startOpPeer } from '../../../../test/peers/op-peer.ts'
import {
  arrived,
  callBack,
  connect,
  HOME,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'

const service = await startFederatedApp()
const { app } = service
const home = await provenOrganization(service)
const ada = { sub: 'ada-1', email: `ada@${home.domain}` }

const DISCOVERY = /openid-configuration/
const [KEYS, TOKEN] = [/jwks/, /token/]
let aheadSeconds = 0

/** A provider whose clock follows the service's clock, and a connection to it. */
async function newPeer() {
  const peer = await startOpPeer()
  peer.behaviour.aheadSeconds = aheadSeconds
  return { peer, connection: await connect(home, peer.url) }
}

async function wait(seconds: number, ...peers: OpPeer[]): Promise<void> {
  await app.advance(seconds)
  aheadSeconds += seconds
  for (const peer of peers) peer.behaviour.aheadSeconds = aheadSeconds
}

async function signIn(peer: OpPeer, connection: string): Promise<string | null> {
  const { authorization_url, state } = await start(home, connection)
  const { code } = peer.signIn(authorization_url, ada)
  return arrived(await callBack(app, { code, state }))['error'] ?? null
}

test('documents are read once, and keys again after five minutes', async () => {
  const { peer, connection } = await newPeer()
  for (let i = 0; i < 3; i++) expect(await signIn(peer, connection)).toBeNull()
  expect([peer.count(DISCOVERY), peer.count(KEYS)]).toEqual([1, 1])
  await wait(301, peer)
  expect(await signIn(peer, connection)).toBeNull()
  expect([peer.count(DISCOVERY), peer.count(KEYS)]).toEqual([1, 2])
})

test('ID tokens are judged by the clock of the service', async () => {
  const { peer, connection } = await newPeer()
  await wait(400)
  // The provider's clock has stopped, so its tokens have expired.
  expect(await signIn(peer, connection)).toBe('response_invalid')
  peer.behaviour.aheadSeconds = aheadSeconds
  expect(await signIn(peer, connection)).toBeNull()
})

test('a provider may change its keys at any time, and unknown ones are looked for once a minute', async () => {
  const { peer, connection } = await newPeer()
  expect(await signIn(peer, connection)).toBeNull()
  peer.rotate()
  expect(await signIn(peer, connection)).toBeNull()
  expect(peer.count(KEYS)).toBe(2)
  peer.behaviour.token = (claims) => peer.sign({ kid: 'unknown' }, claims)
  for (let i = 0; i < 3; i++) expect(await signIn(peer, connection)).toBe('response_invalid')
  expect(peer.count(KEYS)).toBe(2)
  await wait(61, peer)
  for (let i = 0; i < 3; i++) expect(await signIn(peer, connection)).toBe('response_invalid')
  expect(peer.count(KEYS)).toBe(3)
})

test('while documents cannot be read, those from before serve, for a day', async () => {
  const { peer, connection } = await newPeer()
  expect(await signIn(peer, connection)).toBeNull()
  peer.behaviour.down = /jwks|openid-configuration/
  await wait(4000, peer)
  for (let i = 0; i < 3; i++) expect(await signIn(peer, connection)).toBeNull()
  // Each document was requested once more, and then not again for a minute.
  expect([peer.count(DISCOVERY), peer.count(KEYS)]).toEqual([2, 2])
  await wait(24 * 3600, peer)
  const body = { connectionId: connection, redirectUri: HOME }
  const refused = await home.key.post('/v1/auth/login/sso/start', body)
  expect([refused.status, refused.body.code]).toEqual([503, 'idp_unreachable'])
  peer.behaviour.down = null
  expect(await signIn(peer, connection)).toBeNull()
})

test('a provider that is down, refuses or stalls ends the sign-in with a code, within five seconds', async () => {
  const { peer, connection } = await newPeer()
  peer.behaviour.down = TOKEN
  expect(await signIn(peer, connection)).toBe('idp_unreachable')
  peer.behaviour.down = null
  for (const code of [500, 503, 429]) {
    peer.behaviour.status = { path: TOKEN, code }
    expect(await signIn(peer, connection)).toBe('idp_unreachable')
  }
  peer.behaviour.status = { path: TOKEN, code: 302 }
  expect(await signIn(peer, connection)).toBe('response_invalid')
  peer.behaviour.status = null
  peer.behaviour.silent = KEYS
  expect(await signIn(peer, connection)).toBe('idp_unreachable')
})

test.each([
  ['at once', TOKEN],
  ['once its keys are asked for', KEYS],
])('a provider that stalls %s holds up nobody else', async (_, silent) => {
  const [slow, quick] = [await newPeer(), await newPeer()]
  slow.peer.behaviour.silent = silent
  // More sign-ins than are handled at a time.
  const stalled = Promise.all(Array.from({ length: 20 }, () => signIn(slow.peer, slow.connection)))
  await until(async () => slow.peer.count(TOKEN) >= 20)
  expect(await signIn(quick.peer, quick.connection)).toBeNull()
  expect(new Set(await stalled)).toEqual(new Set(['idp_unreachable']))
})

const traced = async (connection: string) =>
  (await home.key.get(`/v1/sso/connections/${connection}/traces`)).body.traces[0].said.detail

test('a provider that does not answer is left alone for a while, and then asked by one sign-in', async () => {
  const [dead, well] = [await newPeer(), await newPeer()]
  const other = await connect(home, dead.peer.url)
  expect(await signIn(dead.peer, dead.connection)).toBeNull()
  const fail = async (times: number) => {
    for (let i = 0; i < times; i++) expect(await signIn(dead.peer, dead.connection)).toBe('idp_unreachable')
    return dead.peer.count(TOKEN)
  }
  dead.peer.behaviour.down = TOKEN
  // The first three requests reach the provider, and no more.
  expect(await fail(6)).toBe(1 + 3)
  expect(await traced(dead.connection)).toContain('not asked')
  expect(await signIn(well.peer, well.connection)).toBeNull()
  await wait(31, dead.peer, well.peer)
  expect(await fail(3)).toBe(1 + 3 + 1)
  dead.peer.behaviour.down = null
  expect(await fail(1)).toBe(1 + 3 + 1)
  // Failures count per connection: another connection to the same server still sends requests.
  expect(await signIn(dead.peer, other)).toBeNull()
  await wait(31, dead.peer)
  for (let i = 0; i < 3; i++) expect(await signIn(dead.peer, dead.connection)).toBeNull()
})

test('where nothing is known of a provider that does not answer, starts fail at once as well', async () => {
  const { peer, connection } = await newPeer()
  peer.behaviour.down = DISCOVERY
  const body = { connectionId: connection, redirectUri: HOME }
  const refused = []
  for (let i = 0; i < 5; i++) refused.push(await home.key.post('/v1/auth/login/sso/start', body))
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(new Set(['503 idp_unreachable']))
  expect([peer.count(DISCOVERY), refused.at(-1)?.body.detail]).toEqual([3, expect.stringContaining('not asked')])
  // A test of the connection ignores earlier failures.
  peer.behaviour.down = null
  const { body: test } = await home.key.post(`/v1/sso/connections/${connection}/test`)
  expect(test.success).toBe(true)
  expect(await signIn(peer, connection)).toBeNull()
})

test('errors that a provider answers with bar nobody from it', async () => {
  const { peer, connection } = await newPeer()
  for (const code of [500, 503, 429, 500, 503]) {
    peer.behaviour.status = { path: TOKEN, code }
    expect(await signIn(peer, connection)).toBe('idp_unreachable')
  }
  peer.behaviour.status = null
  peer.routes.set('/token', () => ({ id_token: 'x'.repeat(200_000) }))
  for (let i = 0; i < 4; i++) expect(await signIn(peer, connection)).toBe('idp_unreachable')
  expect(peer.count(TOKEN)).toBe(9)
})

test('documents are bounded, and keys that are no signing keys left out', async () => {
  const { peer, connection } = await newPeer()
  peer.behaviour.keys = (keys) => [
    { kty: 'oct', k: 'c2VjcmV0' },
    { kty: 'RSA', n: 'x'.repeat(5000) },
    7 as never,
    ...keys,
  ]
  expect(await signIn(peer, connection)).toBeNull()
  const big = await newPeer()
  big.peer.behaviour.discovery = (document) => ({ ...document, more: 'x'.repeat(512 * 1024) })
  const body = { connectionId: big.connection, redirectUri: HOME }
  expect((await home.key.post('/v1/auth/login/sso/start', body)).body.code).toBe('idp_unreachable')
})

test('where nothing answers, or may be asked, the start and the test of a connection say so in words', async () => {
  const { connection } = await newPeer()
  const said = async (issuer: string) => {
    await home.key.patch(`/v1/sso/connections/${connection}`, { oidc_issuer: issuer, oidc_client_secret: 'op-secret' })
    const start = await home.key.post('/v1/auth/login/sso/start', { connectionId: connection, redirectUri: HOME })
    const { body } = await home.key.post(`/v1/sso/connections/${connection}/test`)
    return [start.body.detail, body.checks[0].message, body.checks[0].fix]
  }
  const [detail, message, fix] = await said('http://127.0.0.1:1')
  expect(detail).toBe('The server is unreachable. Its host name does not exist, or nothing answers there.')
  expect([message, fix]).toEqual([
    detail,
    expect.stringContaining('http://127.0.0.1:1/.well-known/openid-configuration'),
  ])
  expect(fix).not.toContain('must be exactly the issuer')
  expect((await said('https://10.255.255.1'))[0]).toContain('WATCHWORD_OUTBOUND_ALLOW')
})

test('a test of a connection says what is wrong, and how to mend it', async () => {
  const { peer, connection } = await newPeer()
  const check = async () => {
    const { body } = await home.key.post(`/v1/sso/connections/${connection}/test`)
    const failed = body.checks.filter(({ ok }: { ok: boolean }) => !ok)
    expect(failed.every(({ fix }: { fix: string | null }) => fix !== null)).toBe(true)
    expect(body.success).toBe(failed.length === 0)
    return failed.map(({ id }: { id: string }) => id)
  }
  expect(await check()).toEqual([])
  peer.behaviour.secret = 'another'
  expect(await check()).toEqual(['client'])
  peer.behaviour.secret = 'op-secret'
  peer.behaviour.aheadSeconds = aheadSeconds + 120
  expect(await check()).toEqual(['clock'])
  peer.behaviour.aheadSeconds = aheadSeconds
  peer.behaviour.keys = () => []
  expect(await check()).toEqual(['keys'])
  peer.behaviour.discovery = (document) => ({ ...document, issuer: `${peer.url}/` })
  expect(await check()).toEqual(['discovery'])
  await home.key.patch(`/v1/sso/connections/${connection}`, { oidc_client_secret: null })
  expect(await check()).toEqual(['configuration'])
})
