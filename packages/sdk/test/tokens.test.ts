import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { freshEmail } from '../../../test/fresh.ts'
import { startApp } from '../../../test/harness.ts'
import { mailedCode } from '../../../test/people/sign-in.ts'
import { Watchword } from '../src/index.ts'
import { TokenError, TokenVerifier } from '../src/tokens.ts'
import { startFailingServer } from './failing-server.ts'

const app = await startApp()
const tenant = await app.tenant()
const watchword = new Watchword({ url: app.baseUrl, apiKey: tenant.key })
const { data: key } = await watchword.apiKeys.getCurrent().withResponse()

async function signIn() {
  const subOrgId = await tenant.organization()
  const email = freshEmail('ada')
  const { user } = await watchword.users.create({ subOrgId, email })
  const { otp_id } = await watchword.login.otp.send({ subOrgId, email })
  const { session } = await watchword.login.otp.verify({ subOrgId, email, otp_id, code: await mailedCode(app, email) })
  if (!session) throw new Error('no session')
  return { subOrgId, user, session }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => (error instanceof TokenError ? error.code : String(error)),
  )

const first = await signIn()
const { iss: issuer, aud } = JSON.parse(
  Buffer.from(first.session.access_token.split('.')[1] ?? '', 'base64url').toString(),
)
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
  now += 11_000
  expect(await codeOf(own.verify(session.access_token))).toBe('token_revoked')
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
  expect(await codeOf(own.verify(session.access_token))).toBe('accepted')
})
