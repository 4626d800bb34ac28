import { createHmac, generateKeyPairSync } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import {
  arrived,
  callBack,
  connect,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'

const service = await startFederatedApp()
const { app } = service
const [peer, other] = [await startOpPeer(), await startOpPeer()]
const home = await provenOrganization(service)
const connectionId = await connect(home, peer.url)
const ada = { sub: 'ada-1', email: `ada@${home.domain}` }

beforeEach(() => {
  peer.calm()
  other.calm()
})

/** The error code at the end of a sign-in; null if there is a session. */
async function outcome(more: Record<string, string> = {}, claims: Record<string, unknown> = ada) {
  const { authorization_url, state } = await start(home, connectionId)
  const { code } = peer.signIn(authorization_url, claims)
  const came = arrived(await callBack(app, { code, state, ...more }))
  expect('access_token' in came).toBe(came['error'] === undefined)
  return came['error'] ?? null
}

test('an honest answer is accepted', async () => {
  expect(await outcome()).toBeNull()
})

const now = () => Math.floor(Date.now() / 1000)
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

describe('an ID token is refused', () => {
  test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
    ['of another issuer', (claims) => ({ ...claims, iss: other.url })],
    ['of an issuer with a slash more', (claims) => ({ ...claims, iss: `${peer.url}/` })],
    ['without an issuer', ({ iss: _, ...claims }) => claims],
    ['for another audience', (claims) => ({ ...claims, aud: 'somebody' })],
    ['for several audiences, issued to another', (claims) => ({ ...claims, aud: ['client', 'x'], azp: 'x' })],
    ['for several audiences, issued to nobody', (claims) => ({ ...claims, aud: ['client', 'x'] })],
    ['issued to another', (claims) => ({ ...claims, azp: 'x' })],
    ['with another nonce', (claims) => ({ ...claims, nonce: 'another' })],
    ['without a nonce', ({ nonce: _, ...claims }) => claims],
    ['that has expired', (claims) => ({ ...claims, exp: now() - 65 })],
    ['without an expiry', ({ exp: _, ...claims }) => claims],
    ['of the future', (claims) => ({ ...claims, iat: now() + 65 })],
    ['that is not valid yet', (claims) => ({ ...claims, nbf: now() + 65 })],
    ['without a subject', ({ sub: _, ...claims }) => claims],
    ['with an empty subject', (claims) => ({ ...claims, sub: '' })],
    ['with a subject of any length', (claims) => ({ ...claims, sub: 'x'.repeat(256) })],
  ])('%s', async (_, claims) => {
    peer.behaviour.claims = claims
    expect(await outcome()).toBe('response_invalid')
  })

  const unsigned = (alg: string) => (claims: object) => `${encode({ alg })}.${encode(claims)}.`
  const mac = (key: string) => (claims: object) => {
    const input = `${encode({ alg: 'HS256' })}.${encode(claims)}`
    return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
  }
  test.each<[string, (claims: Record<string, unknown>) => string]>([
    ['signed by nobody', unsigned('none')],
    ['signed by nobody, in other letters', unsigned('NONE')],
    ['signed with an empty signature', unsigned('ES256')],
    ['with a MAC by the client secret', mac('op-secret')],
    ['signed with a key of somebody else', (claims) => peer.sign({}, claims, stranger)],
    ['signed with a key that nobody published', (claims) => peer.sign({ kid: 'unknown' }, claims, stranger)],
    ['signed with the key of another provider', (claims) => other.sign({}, claims)],
    ['that brings its key along', (claims) => peer.sign({ kid: undefined, jwk }, claims, stranger)],
    ['with an extension that must be understood', (claims) => peer.sign({ crit: ['b64'], b64: false }, claims)],
    ['changed after it was signed', (claims) => tamper(peer.sign({}, claims))],
  ])('%s', async (_, token) => {
    peer.behaviour.token = token
    expect(await outcome()).toBe('response_invalid')
  })
})

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const [stranger, jwk] = [pair.privateKey, pair.publicKey.export({ format: 'jwk' })]

function tamper(token: string): string {
  const [header, payload = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return [header, encode({ ...claims, sub: 'somebody' }), signature].join('.')
}

test('clocks may differ by a minute', async () => {
  for (const aheadSeconds of [50, -50]) {
    peer.calm()
    peer.behaviour.aheadSeconds = aheadSeconds
    expect(await outcome()).toBeNull()
  }
})

describe('mix-up', () => {
  test('a callback that names another issuer ends before anything is sent to the provider', async () => {
    expect(await outcome({ iss: other.url })).toBe('response_invalid')
    expect(peer.count(/token/)).toBe(0)
  })

  test('a provider that announces its name must give it', async () => {
    const announcing = await startOpPeer()
    announcing.behaviour.discovery = (document) => ({
      ...document,
      authorization_response_iss_parameter_supported: true,
    })
    const connection = await connect(home, announcing.url)
    const came = async (more: Record<string, string>) => {
      const { authorization_url, state } = await start(home, connection)
      const { code } = announcing.signIn(authorization_url, ada)
      return arrived(await callBack(app, { code, state, ...more }))['error'] ?? null
    }
    expect(await came({})).toBe('response_invalid')
    expect(await came({ iss: announcing.url })).toBeNull()
  })

  test('a hostile provider that sends its visitors on to an honest one gets no session, and the code is of no use to it', async () => {
    const evil = await provenOrganization(service)
    const hostile = await connect(evil, other.url)
    const began = await start(evil, hostile)
    // The hostile provider sends the browser to an honest provider, with the state of its own sign-in.
    const lure = new URL(began.authorization_url)
    lure.host = new URL(peer.url).host
    const { code } = peer.signIn(lure.href, ada)
    expect(arrived(await callBack(app, { code, state: began.state, iss: peer.url }))['error']).toBe('response_invalid')
    expect(other.count(/token/)).toBe(0)
    // Even in a victim's sign-in the code is useless, since it does not match the victim's code verifier.
    const victim = await start(home, connectionId)
    expect(arrived(await callBack(app, { code, state: victim.state }))['error']).toBe('idp_error')
  })

  test('a state of one connection is answered by its own provider alone', async () => {
    const began = await start(home, await connect(home, other.url))
    const { code } = peer.signIn((await start(home, connectionId)).authorization_url, ada)
    expect(arrived(await callBack(app, { code, state: began.state }))['error']).toBe('idp_error')
    expect([peer.count(/token/), other.count(/token/)]).toEqual([0, 1])
  })

  test('a code of one sign-in is refused in another sign-in of the same connection', async () => {
    const [first, second] = [await start(home, connectionId), await start(home, connectionId)]
    const { code } = peer.signIn(first.authorization_url, ada)
    expect(arrived(await callBack(app, { code, state: second.state }))['error']).toBe('idp_error')
    expect(peer.count(/token/)).toBe(1)
  })
})

test('a hostile provider speaks for the domain of its own organization alone', async () => {
  const evil = await provenOrganization(service)
  const hostile = await connect(evil, other.url)
  const come = async (claims: Record<string, unknown>) => {
    const { authorization_url, state } = await start(evil, hostile)
    const { code } = other.signIn(authorization_url, claims)
    return arrived(await callBack(app, { code, state }))
  }
  expect(await outcome()).toBeNull()
  for (const sub of ['ada-1', 'ada-2'])
    expect((await come({ ...ada, sub, email_verified: true }))['error']).toBe('domain_not_verified')
  expect((await evil.key.get('/v1/users')).body.users).toEqual([])
})

test('discovery must be of the issuer that was configured, and its addresses must be addresses', async () => {
  for (const discovery of [
    { issuer: other.url },
    { authorization_endpoint: 'javascript:alert(1)' },
    { jwks_uri: null },
  ]) {
    const lying = await startOpPeer()
    lying.behaviour.discovery = (document) => ({ ...document, ...discovery })
    const connection = await connect(home, lying.url)
    const body = { connectionId: connection, redirectUri: 'http://localhost:3000/auth' }
    const reply = await home.key.post('/v1/auth/login/sso/start', body)
    expect([reply.status, reply.body.code]).toEqual([409, 'connection_incomplete'])
  }
})

test('what a provider writes is never shown', async () => {
  const seen = await Promise.all(
    ['error_description', 'error', 'error_uri', 'code'].map(async (name) => {
      const { state } = await start(home, connectionId)
      const reply = await callBack(app, { [name]: '"><script>canary</script>', state })
      return `${reply.headers.get('location')} ${reply.text}`
    }),
  )
  expect(seen.join()).not.toContain('canary')
  expect(app.logLines.join()).not.toContain('canary')
})
