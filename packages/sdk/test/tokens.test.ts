import { inspect } from 'node:util'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { Watchword } from '../src/index.ts'
import { TokenError, TokenVerifier } from '../src/tokens.ts'
import { startFailingServer } from './failing-server.ts'
import { payloadOf, signedInBySdk } from './signed-in.ts'

const app = await startApp()
const tenant = await app.tenant()
const watchword = new Watchword({ url: app.baseUrl, apiKey: tenant.key })
const signIn = () => signedInBySdk(app, tenant)
const { data: key } = await watchword.apiKeys.getCurrent().withResponse()

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => (error instanceof TokenError ? error.code : String(error)),
  )

const first = await signIn()
const { iss: issuer, aud } = payloadOf(first.session.access_token)
// The issuer of the tests is not where the service listens.
const jwksUrl = `${app.baseUrl}/.well-known/jwks.json`
const good = { issuer, audience: aud, jwksUrl }
const verifier = new TokenVerifier(good)

test('a token of the service gives its claims', async () => {
  const { subOrgId, user, session } = await signIn()
  const claims = await verifier.verify(session.access_token)
  expect(claims).toMatchObject({ org_id: subOrgId, directory_user_id: user.id, role: 'member' })
  expect(claims.aud).toBe(key.accountId)
  expect(await codeOf(verifier.verify(session.access_token, { organization: subOrgId }))).toBe('accepted')
})

test('a token of another organization, or without a permission, is refused as such', async () => {
  const { session } = first
  const other = { organization: await tenant.organization() }
  expect(await codeOf(verifier.verify(session.access_token, other))).toBe('organization_mismatch')
  const permission = 'documents:write'
  expect(await codeOf(verifier.verify(session.access_token, { permission }))).toBe('permission_missing')
})

test('what is not a good token of this issuer and audience is refused', async () => {
  const { session } = first
  const token = session.access_token
  const [head, body, signature = ''] = token.split('.')
  const changed = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  for (const bad of ['', 'x', changed, session.refresh_token])
    expect(await codeOf(verifier.verify(bad))).toBe('token_invalid')
  const elsewhere = new TokenVerifier({ ...good, issuer: 'https://other.test' })
  expect(await codeOf(elsewhere.verify(token))).toBe('token_invalid')
  expect(await codeOf(new TokenVerifier({ ...good, audience: 'other' }).verify(token))).toBe('token_invalid')
})

test('an error says which issuer or audience was expected, and has nothing of the user', async () => {
  const { email, session } = await signIn()
  const refusalOf = (options: object) =>
    new TokenVerifier({ ...good, ...options }).verify(session.access_token).catch((error: unknown) => error)
  const strange = await refusalOf({ issuer: 'https://other.test' })
  expect(String(strange)).toContain(`its "iss" is "${issuer}", and not "https://other.test"`)
  const forOthers = await refusalOf({ audience: ['a', 'b'] })
  expect(String(forOthers)).toContain(`its "aud" is "${aud}", and not ["a","b"]`)
  const late = await refusalOf({ now: () => Date.now() + 10 ** 9 })
  expect(late).toMatchObject({ code: 'token_expired' })
  for (const error of [strange, forOthers, late]) {
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(email)
    expect(JSON.stringify(error)).not.toContain(email)
  }
})

test('the verifier of a client asks for the issuer and the audience', async () => {
  const { user, session } = await signIn()
  const own = await TokenVerifier.of(watchword, { jwksUrl })
  expect((await own.verify(session.access_token)).directory_user_id).toBe(user.id)
  const other = await TokenVerifier.of(watchword, { jwksUrl, audience: 'other' })
  expect(await codeOf(other.verify(session.access_token))).toBe('token_invalid')
  const staging = new Watchword({ url: app.baseUrl, apiKey: (await tenant.withKey({ environment: 'staging' })).key })
  expect(await codeOf((await TokenVerifier.of(staging, { jwksUrl })).verify(session.access_token))).toBe(
    'token_invalid',
  )
})

test('a token is over at its end, with the tolerance', async () => {
  const { session } = await signIn()
  const { exp } = await verifier.verify(session.access_token)
  const at = (seconds: number) =>
    codeOf(new TokenVerifier({ ...good, now: () => seconds * 1000 }).verify(session.access_token))
  expect([await at(exp + 4), await at(exp + 6)]).toEqual(['accepted', 'token_expired'])
})

test('an ID token, an unsigned token and one signed with the public key are refused', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const server = await startFailingServer(() => [{ status: 200, body: { keys: [jwk] } }])
  const own = new TokenVerifier({ issuer: server.url, audience: 'a' })
  const claims = { sub: 'u', sid: 's', email: 'a@b.test' }
  const sign = (header: { typ?: string; alg: string }, more: object = {}) =>
    new SignJWT({ ...claims, ...more })
      .setProtectedHeader({ kid: 'k1', ...header })
      .setIssuer(server.url)
      .setAudience('a')
      .setExpirationTime('1h')
      .sign(header.alg === 'ES256' ? privateKey : new TextEncoder().encode(JSON.stringify(jwk)))
  expect(await codeOf(own.verify(await sign({ alg: 'ES256', typ: 'at+jwt' })))).toBe('accepted')
  expect(await codeOf(own.verify(await sign({ alg: 'ES256', typ: 'JWT' })))).toBe('token_invalid')
  expect(await codeOf(own.verify(await sign({ alg: 'ES256' })))).toBe('token_invalid')
  expect(await codeOf(own.verify(await sign({ alg: 'HS256', typ: 'at+jwt' })))).toBe('token_invalid')
  expect(await codeOf(own.verify(await sign({ alg: 'ES256', typ: 'at+jwt' }, { sid: undefined })))).toBe(
    'token_invalid',
  )
  // The keys are cached: one request for all.
  expect(server.seen).toHaveLength(1)
})

test('unreachable keys are no fault of the token', async () => {
  const server = await startFailingServer(() => [{ status: 503 }, 'close'])
  const own = new TokenVerifier({ ...good, jwksUrl: `${server.url}/jwks` })
  expect(await codeOf(own.verify(first.session.access_token))).toBe('keys_unavailable')
  expect(await codeOf(own.verify(first.session.access_token))).toBe('keys_unavailable')
})

test('with the feed of revocations an ended session is refused before its token expires', async () => {
  const { subOrgId, user, session } = await signIn()
  let now = Date.now()
  const revocations = { client: watchword, maxAge: 10, maxStale: 60 }
  const own = new TokenVerifier({ ...good, revocations, now: () => now })
  expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
  await watchword.users.revokeSessions(user.id, { subOrgId })
  expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
  // The feed shows nothing beside older transactions of the cluster, which other tests have.
  await until(async () => {
    now += 11_000
    return (await codeOf(own.verify(session.access_token))) === 'token_revoked'
  })
  expect(await codeOf(own.verify(first.session.access_token))).toBe('accepted')
})

test('a feed that cannot be read is used for a minute, and then nothing is accepted', async () => {
  const { session } = await signIn()
  let now = Date.now()
  let isDown = false
  const fetching: typeof fetch = (...request) => (isDown ? Promise.reject(new Error('down')) : fetch(...request))
  const client = new Watchword({ url: app.baseUrl, apiKey: tenant.key, fetch: fetching, maxRetries: 0 })
  const own = new TokenVerifier({ ...good, revocations: { client }, now: () => now })
  expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
  isDown = true
  now += 59_000
  expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
  now += 2000
  expect(await codeOf(own.verify(session.access_token))).toBe('revocations_unavailable')
  isDown = false
  now += 1001
  expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
})

test('without an issuer, an audience or a requirement that is named nothing is accepted', async () => {
  const without: object[] = [
    { issuer: '' },
    { issuer: undefined },
    { audience: '' },
    { audience: undefined },
    { audience: [] },
  ]
  for (const one of without) expect(() => new TokenVerifier({ ...good, ...one })).toThrow(TypeError)
  const { access_token: token } = first.session
  for (const required of [
    { organization: undefined },
    { organization: '' },
    { permission: undefined },
    { permission: [] },
  ])
    await expect(verifier.verify(token, required as never)).rejects.toThrow(TypeError)
})

test('after the database was restored the feed is read from its beginning', async () => {
  const { subOrgId, user, session } = await signIn()
  let now = Date.now()
  let isRestored = false
  const fetching: typeof fetch = (address, init) => {
    const isOld = isRestored && String(address).includes('after=')
    const refusal = { type: 'x', title: 'x', status: 410, detail: 'Too old.', code: 'cursor_expired', request_id: 'r' }
    return isOld ? Promise.resolve(Response.json(refusal, { status: 410 })) : fetch(address, init)
  }
  const client = new Watchword({ url: app.baseUrl, apiKey: tenant.key, fetch: fetching })
  const own = new TokenVerifier({ ...good, revocations: { client }, now: () => now })
  expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
  await watchword.users.revokeSessions(user.id, { subOrgId })
  isRestored = true
  await until(async () => {
    now += 61_000
    return (await codeOf(own.verify(session.access_token))) === 'token_revoked'
  })
  expect(await codeOf(own.verify(first.session.access_token))).toBe('accepted')
})

test('a feed that hangs delays little while the last reading is recent', async () => {
  let now = Date.now()
  let isHanging = false
  const fetching: typeof fetch = (address, init) => (isHanging ? new Promise(() => undefined) : fetch(address, init))
  const client = new Watchword({ url: app.baseUrl, apiKey: tenant.key, fetch: fetching })
  const own = new TokenVerifier({ ...good, revocations: { client }, now: () => now })
  expect(await codeOf(own.verify(first.session.access_token))).toBe('accepted')
  isHanging = true
  now += 30_000
  expect(await codeOf(own.verify(first.session.access_token))).toBe('accepted')
})

test('a feed of one organization accepts no token of another', async () => {
  const { session, subOrgId } = await signIn()
  const { key: limited } = await tenant.withKey({ scopes: ['sessions.read'], subOrgId })
  for (const revocations of [
    { client: watchword, subOrgId },
    { client: watchword.forOrganization(subOrgId) },
    { client: new Watchword({ url: app.baseUrl, apiKey: limited }) },
  ]) {
    const own = new TokenVerifier({ ...good, revocations })
    expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
    expect(await codeOf(own.verify(first.session.access_token))).toBe('organization_mismatch')
  }
})

test('keys that were read once serve while they cannot be read again, for a day', async () => {
  const published = await (await fetch(jwksUrl)).json()
  let isDown = false
  const server = await startFailingServer(() => [isDown ? { status: 503 } : { status: 200, body: published }])
  const { session } = await signIn()
  let now = Date.now()
  const own = new TokenVerifier({ ...good, jwksUrl: server.url, now: () => now, clockTolerance: 10 ** 6 })
  expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
  isDown = true
  const remote = Date.now
  try {
    // The cache of keys goes by the clock of the process.
    Date.now = () => remote() + 11 * 60_000
    now += 11 * 60_000
    expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
    const asked = server.seen.length
    expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
    expect(server.seen.length).toBe(asked)
    now += 24 * 60 * 60_000
    Date.now = () => remote() + 25 * 60 * 60_000
    expect(await codeOf(own.verify(session.access_token))).toBe('keys_unavailable')
  } finally {
    Date.now = remote
  }
})

test('a broken set of keys is no fault of the token', async () => {
  for (const body of [{}, '<html>']) {
    const server = await startFailingServer(() => [{ status: 200, body }])
    const own = new TokenVerifier({ ...good, jwksUrl: server.url })
    expect(await codeOf(own.verify(first.session.access_token))).toBe('keys_unavailable')
  }
})

test('claims that should be lists are', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const server = await startFailingServer(() => [{ status: 200, body: { keys: [jwk] } }])
  const own = new TokenVerifier({ issuer: 'https://x.test/', audience: 'a', jwksUrl: server.url })
  const token = await new SignJWT({ sub: 'u', sid: 's', permissions: 'members:read-only' })
    .setProtectedHeader({ kid: 'k1', alg: 'ES256', typ: 'at+jwt' })
    .setIssuer('https://x.test')
    .setAudience('a')
    .setExpirationTime('1h')
    .sign(privateKey)
  expect(await codeOf(own.verify(token, { permission: 'members:read' }))).toBe('token_invalid')
})
