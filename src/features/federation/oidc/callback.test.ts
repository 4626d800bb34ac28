import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { codeOf, succeeded } from '../../../../test/people/factors.ts'
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
const peer = await startOpPeer()
const home = await provenOrganization(service)
const connectionId = await connect(home, peer.url)

const ada = { sub: 'ada-1', email: `ada@${home.domain}`, given_name: 'Ada', family_name: 'Lovelace' }

/** A complete sign-in of a person. */
async function signIn(claims: Record<string, unknown>, more: Record<string, string> = {}, connection = connectionId) {
  const { authorization_url, state } = await start(home, connection)
  const { code } = peer.signIn(authorization_url, claims)
  const came = arrived(await callBack(app, { code, state, ...more }))
  expect(came['state']).toBe(state)
  return came
}

test('a person of the organization’s domain comes in, and again by the link alone', async () => {
  const { authorization_url, state } = await start(home, connectionId)
  const asked = Object.fromEntries(new URL(authorization_url).searchParams)
  expect(asked).toMatchObject({
    response_type: 'code',
    client_id: 'client',
    scope: 'openid email profile',
    redirect_uri: `http://localhost:4000/api/v1/auth/login/sso/oidc/callback/${connectionId}`,
    code_challenge_method: 'S256',
    state,
  })
  expect(asked['nonce']).toMatch(/^[\w-]{20,}$/)
  const { code } = peer.signIn(authorization_url, ada)
  const reply = await callBack(app, { code, state })
  const kept = ['cache-control', 'referrer-policy'].map((name) => reply.headers.get(name))
  expect(kept).toEqual(['no-store', 'no-referrer'])
  const came = arrived(reply)
  expect(decodeJwt(came['access_token'] ?? '')).toMatchObject({ email: ada.email, org_id: home.id, amr: ['fed'] })
  const again = await signIn({ sub: 'ada-1', email: 'somebody@else.example' })
  expect(again['user_id']).toBe(came['user_id'])
  const { user } = (await home.key.get(`/v1/users/${came['directory_user_id']}`)).body
  expect(user).toMatchObject({ email: ada.email, firstName: 'Ada', lastName: 'Lovelace', source: 'sso' })
})

test('whoever is made a user has the language that the provider says, if it is one', async () => {
  for (const [i, [locale, stored]] of [
    ['pt_BR', 'pt-BR'],
    ['German!', null],
    [{ tag: 'de' }, null],
  ].entries()) {
    const came = await signIn({ sub: `lang-${i}`, email: `lang-${i}@${home.domain}`, locale })
    const { user } = (await home.key.get(`/v1/users/${came['directory_user_id']}`)).body
    expect(user.locale).toBe(stored)
  }
})

test('a state is good once, also for two at the same moment', async () => {
  const { authorization_url, state } = await start(home, connectionId)
  const { code } = peer.signIn(authorization_url, ada)
  const replies = await Promise.all([callBack(app, { code, state }), callBack(app, { code, state })])
  expect(replies.map(({ status }) => status).sort()).toEqual([302, 400])
  const late = await callBack(app, { code, state })
  expect([late.status, late.headers.get('location')]).toEqual([400, null])
})

test('a made-up state leads nowhere, in words of our own', async () => {
  for (const state of ['', 'x', 'A'.repeat(76)]) {
    const reply = await callBack(app, { code: 'c', state, error_description: '<script>alert(1)</script>' })
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
    expect(reply.text).not.toContain('<script>alert')
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})

test('the address may come from userinfo, and must be there', async () => {
  const email = `bo@${home.domain}`
  peer.behaviour.userinfo = { sub: 'bo-1', email, name: 'Bo' }
  const came = await signIn({ sub: 'bo-1' })
  expect(decodeJwt(came['access_token'] ?? '')).toMatchObject({ email })
  peer.behaviour.userinfo = { sub: 'another', email: `cy@${home.domain}` }
  expect(await signIn({ sub: 'cy-1' })).toMatchObject({ error: 'response_invalid' })
  peer.behaviour.userinfo = { sub: 'di-1' }
  expect(await signIn({ sub: 'di-1' })).toMatchObject({ error: 'email_missing' })
  peer.calm()
})

test('an address of a domain that the organization has not verified is refused, whatever the provider says of it', async () => {
  expect(await signIn({ sub: 'eve-1', email: 'eve@bank.example', email_verified: true })).toMatchObject({
    error: 'domain_not_verified',
  })
})

test('what the person or the provider refuses comes back as a fixed code', async () => {
  const { state } = await start(home, connectionId)
  const said = { error: 'access_denied', error_description: '<b>no</b>', state }
  expect(arrived(await callBack(app, said))).toEqual({
    error: 'access_denied',
    error_description: 'The sign-in was cancelled at the provider.',
    state,
  })
  const other = await start(home, connectionId)
  expect(arrived(await callBack(app, { error: '<script>', state: other.state }))['error']).toBe('idp_error')
  const third = await start(home, connectionId)
  expect(arrived(await callBack(app, { code: 'unknown', state: third.state }))).toMatchObject({ error: 'idp_error' })
})

test('a connection that is no longer active, or a service that is off, ends a sign-in under way', async () => {
  const other = await provenOrganization(service)
  const connection = await connect(other, peer.url)
  const finish = async (change: () => Promise<unknown>) => {
    const { authorization_url, state } = await start(other, connection)
    const { code } = peer.signIn(authorization_url, { sub: 'x', email: `x@${other.domain}` })
    await change()
    return arrived(await callBack(app, { code, state }))['error']
  }
  const put = (enabledAppIds: string[]) => other.key.put('/v1/organization-apps', { enabledAppIds })
  // This reads the provider's documents.
  await start(other, connection)
  const asked = peer.asked.length
  expect(await finish(() => put(['auth', 'otp']))).toBe('service_disabled')
  await put(['auth', 'sso'])
  expect(await finish(() => other.key.patch(`/v1/sso/connections/${connection}`, { status: 'draft' }))).toBe(
    'connection_not_active',
  )
  expect(peer.asked.length).toBe(asked)
})

test('an address of the application that is allowed no longer is not led to', async () => {
  const other = await provenOrganization(service)
  const connection = await connect(other, peer.url)
  const { authorization_url, state } = await start(other, connection)
  const { code } = peer.signIn(authorization_url, { sub: 'x', email: `x@${other.domain}` })
  await other.key.patch('/v1/auth/settings', { allowed_redirect_uris: ['https://app.example.com/auth'] })
  const reply = await callBack(app, { code, state })
  expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  const refused = await other.key.post('/v1/auth/login/sso/start', { connectionId: connection, redirectUri: HOME })
  expect(refused.body.code).toBe('invalid_redirect_uri')
})

test('a test ends in a trace, without a session', async () => {
  const other = await provenOrganization(service)
  const connection = await connect(other, peer.url, { status: 'testing' })
  const { authorization_url, state } = await start(other, connection, { test: true })
  const { code } = peer.signIn(authorization_url, { sub: 'x', email: `x@${other.domain}` })
  expect(arrived(await callBack(app, { code, state }))).toEqual({ test: 'succeeded', state })
  const { traces } = (await other.key.get(`/v1/sso/connections/${connection}/traces`)).body
  expect(traces).toMatchObject([{ outcome: 'accepted', is_test: true, said: { id_token: { sub: 'x' } } }])
  expect((await other.key.get('/v1/users')).body.users).toEqual([])
})

test('a client may prove itself by a key instead of a secret, which anybody can check', async () => {
  const by = await startOpPeer()
  by.behaviour.secret = 'a JWT'
  const fields = { oidc_client_auth: 'private_key_jwt', oidc_client_secret: null }
  const connection = await connect(home, by.url, fields)
  const { authorization_url, state } = await start(home, connection)
  const { code } = by.signIn(authorization_url, { sub: 'key-1', email: `key@${home.domain}` })
  expect(arrived(await callBack(app, { code, state }))).toHaveProperty('access_token')
  const form = by.asked.find(({ path }) => path === '/token')?.form ?? {}
  const published = await app.as(null).get(`/v1/auth/login/sso/oidc/jwks/${connection}`)
  const checks = { issuer: 'client', subject: 'client', audience: by.url }
  const { payload } = await jwtVerify(form['client_assertion'] ?? '', createLocalJWKSet(published.body), checks)
  expect(payload).toMatchObject({ jti: expect.any(String), exp: expect.any(Number) })
  expect([form['client_secret'], published.text.includes('"d"')]).toEqual([undefined, false])
  const { body } = await home.key.post(`/v1/sso/connections/${connection}/test`)
  expect(body.checks.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, true, true])
  const unknown = await app.as(null).get(`/v1/auth/login/sso/oidc/jwks/${connection.replace(/.$/, 'x')}`)
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
})

test('a second factor at the provider counts only where it is trusted for that', async () => {
  const other = await provenOrganization(service)
  await other.key.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 0 })
  const come = async (trust_idp_mfa: boolean) => {
    const connection = await connect(other, peer.url, { trust_idp_mfa })
    const { authorization_url, state } = await start(other, connection)
    const claims = { sub: `mfa-${trust_idp_mfa}`, email: `${trust_idp_mfa}@${other.domain}`, amr: ['pwd', 'otp'] }
    const { code } = peer.signIn(authorization_url, claims)
    return arrived(await callBack(app, { code, state }))
  }
  expect(await come(false)).toMatchObject({ mfa_required: 'true', enrollment_required: 'true' })
  expect(decodeJwt((await come(true))['access_token'] ?? '')).toMatchObject({ aal: 'aal2', amr: ['fed', 'pwd', 'otp'] })
})

test('with a connection goes who people were at its provider: the same name there may be somebody else’s later', async () => {
  const other = await provenOrganization(service)
  const connection = await connect(other, peer.url)
  const { authorization_url, state } = await start(other, connection)
  const { code } = peer.signIn(authorization_url, { sub: 'fay', email: `fay@${other.domain}` })
  const { directory_user_id: id } = arrived(await callBack(app, { code, state }))
  const linked = async () => succeeded(await other.key.get(`/v1/users/${id}/identities`)).identities
  expect(await linked()).toMatchObject([{ source: connection, subject: 'fay' }])
  succeeded(await other.key.delete(`/v1/sso/connections/${connection}`))
  expect(await linked()).toEqual([])
})

test('of a provider that is not trusted for it nothing is said that it asked for', async () => {
  const claims = { sub: 'gil', email: `gil@${home.domain}`, amr: ['pwd', 'otp'] }
  const { access_token = '' } = await signIn(claims)
  expect(decodeJwt(access_token)).toMatchObject({ aal: 'aal1', amr: ['fed'] })
})

test('a backend that tells no network of who came back from a provider, or another, asks for the second factor', async () => {
  const other = await provenOrganization(service)
  await other.key.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 0 })
  const connection = await connect(other, peer.url)
  const challenged = async () => {
    const { authorization_url, state } = await start(other, connection)
    const { code } = peer.signIn(authorization_url, { sub: 'eve', email: `eve@${other.domain}` })
    return arrived(await callBack(app, { code, state }))
  }
  const { challenge_token, directory_user_id: userId } = await challenged()
  const { pendingId, secret } = succeeded(await other.key.post('/v1/mfa/totp', { userId }))
  const body = { userId, pendingId, code: codeOf(secret), challenge_token }
  expect(succeeded(await other.key.put('/v1/mfa/totp', body)).session).toHaveProperty('access_token')
  const again = { challenge_token: (await challenged())['challenge_token'], code: codeOf(secret, 1) }
  // The same person, from an IPv6 address instead of IPv4.
  const passed = await other.key.post('/v1/mfa/challenge/verify', again, { 'x-end-user-ip': '2001:db8::7' })
  expect(succeeded(passed).session).toHaveProperty('access_token')
})

test('a sign-in may take ten minutes', async () => {
  const [first, second] = [await start(home, connectionId), await start(home, connectionId)]
  const come = ({ authorization_url, state }: typeof first) =>
    callBack(app, { code: peer.signIn(authorization_url, ada).code, state })
  await app.advance(595)
  peer.behaviour.aheadSeconds = 595
  expect(arrived(await come(first))).toHaveProperty('access_token')
  await app.advance(10)
  expect((await come(second)).status).toBe(400)
})
