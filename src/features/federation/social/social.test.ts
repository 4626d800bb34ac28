import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import {
  callBack,
  callBackByForm,
  signInAt,
  startAt,
  startSocial,
  withProvider,
} from '../../../../test/peers/social-peer.ts'
import { arrived, HOME } from '../../../../test/people/oidc-organization.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { parseConfig } from '../../../platform/config/config.ts'

const service = await startSocial({
  WATCHWORD_SOCIAL_GOOGLE_CLIENT_ID: 'client',
  WATCHWORD_SOCIAL_GOOGLE_CLIENT_SECRET: 'op-secret',
})
const { app, tenant, google, github } = service
const PROVIDERS = '/v1/social/providers'

async function organization() {
  const id = await tenant.organization()
  return { id, key: await tenant.withKey({ subOrgId: id }) }
}

const newcomer = () => ({ sub: newEmail(), email: newEmail(), email_verified: true, hd: 'example.com' })

test('providers are off until they are turned on, and have the credentials of the deployment or their own', async () => {
  const { id, key } = await organization()
  const none = { client_id: null, team_id: null, key_id: null, tenant: null, enabled: false, callback: 'provider' }
  const at = (provider: string) => ({
    provider,
    callback_url: `http://localhost:4000/api/v1/auth/login/social/callback/${provider}`,
  })
  const oidc = ['openid', 'email', 'profile']
  expect((await key.get(PROVIDERS)).body.providers).toEqual([
    { ...at('google'), ...none, configured: true, scopes: oidc },
    { ...at('github'), ...none, configured: false, scopes: ['user:email', 'read:user'] },
    { ...at('apple'), ...none, configured: false, scopes: ['openid', 'name', 'email'] },
    { ...at('microsoft'), ...none, configured: false, scopes: oidc },
  ])
  const start = (provider: string) => key.post('/v1/auth/login/social/start', { provider, redirectUri: HOME })
  expect((await start('google')).body.code).toBe('provider_disabled')
  await key.put(PROVIDERS, { provider: 'google', enabled: true })
  await key.put(PROVIDERS, { provider: 'github', enabled: true })
  expect((await start('google')).status).toBe(200)
  expect((await start('github')).body.code).toBe('provider_not_configured')
  const methods = async () =>
    (await key.get('/v1/auth/methods')).body.methods.find(({ id }: { id: string }) => id === 'social')
  expect(await methods()).toEqual({ id: 'social', label: 'Social login', providers: ['google'], connections: null })
  const set = { provider: 'github', enabled: true, client_id: 'mine', client_secret: 'canary-77', scopes: ['read:org'] }
  const put = await key.put(PROVIDERS, set)
  expect(put.body.providers[1]).toMatchObject({
    configured: true,
    client_id: 'mine',
    scopes: ['user:email', 'read:org'],
  })
  expect((await methods()).providers).toEqual(['google', 'github'])
  // If the organization has its own application, no other counts.
  await key.put(PROVIDERS, { provider: 'google', enabled: true, client_id: 'mine' })
  expect((await start('google')).body.code).toBe('provider_not_configured')
  await key.put(PROVIDERS, { provider: 'google', enabled: false, client_id: null })
  await key.put(PROVIDERS, { provider: 'github', enabled: false, client_secret: null })
  expect(
    (await key.get(PROVIDERS)).body.providers.map(({ configured }: { configured: boolean }) => configured),
  ).toEqual([true, false, false, false])
  expect(await methods()).toBeUndefined()
  const events = await app.events({ accountId: tenant.accountId, type: 'social_provider.updated' })
  const mine = events.filter(({ organization_id }) => organization_id === id)
  expect(mine).toHaveLength(6)
  expect(mine[2]).toMatchObject({ data: { provider: 'github', client_id: 'mine' }, previous: { client_id: null } })
  const stored = await app.app.platform.db.selectFrom('social_providers').selectAll().execute()
  expect(JSON.stringify([mine, put.body, stored, app.logLines])).not.toContain('canary-77')
})

test.each([
  [{ provider: 'google', tenant: 'common' }, 'tenant'],
  [{ provider: 'github', private_key: 'x' }, 'private_key'],
  [{ provider: 'apple', client_secret: 'x' }, 'client_secret'],
  [{ provider: 'apple', private_key: '-----BEGIN PRIVATE KEY-----' }, 'private_key'],
  [{ provider: 'microsoft', tenant: 'acme.onmicrosoft.com' }, 'tenant'],
  [{ provider: 'microsoft', tenant: '../x' }, 'tenant'],
  [{ provider: 'facebook' }, 'provider'],
])('refuses %j', async (fields, field) => {
  const { key } = await organization()
  const reply = await key.put(PROVIDERS, { enabled: true, ...fields })
  expect([reply.status, reply.body.errors.map((each: { field: string }) => each.field)]).toEqual([400, [field]])
})

test('whoever is unknown signs up only where that is open', async () => {
  const { key } = await withProvider(service, 'google')
  const come = async (openSignup: boolean | undefined, claims: Record<string, unknown> = newcomer()) => {
    const { authorization_url, state } = await startAt(key, 'google', { openSignup })
    const { code } = google.signIn(authorization_url, claims)
    return arrived(await callBack(app, { code, state }))['error'] ?? null
  }
  expect(await come(undefined)).toBe('signup_disabled')
  expect(await come(false)).toBe('signup_disabled')
  const ada = newcomer()
  expect(await come(true, ada)).toBeNull()
  await key.patch('/v1/auth/settings', { open_signup_default: true })
  expect(await come(undefined)).toBeNull()
  await key.patch('/v1/auth/settings', { allow_sign_up: false })
  expect(await come(true)).toBe('signup_disabled')
  expect(await come(undefined, ada)).toBeNull()
})

test('what is turned off after the start ends the sign-in before anything is sent to the provider', async () => {
  const { key } = await withProvider(service, 'google')
  const come = async (change: () => Promise<unknown>) => {
    const { authorization_url, state } = await startAt(key, 'google')
    const { code } = google.signIn(authorization_url, newcomer())
    await change()
    return arrived(await callBack(app, { code, state }))['error'] ?? null
  }
  const before = google.count(/token/)
  expect(await come(() => key.put(PROVIDERS, { provider: 'google', enabled: false }))).toBe('provider_disabled')
  await key.put(PROVIDERS, { provider: 'google', enabled: true })
  expect(await come(() => key.put('/v1/organization-apps', { enabledAppIds: ['auth', 'otp'] }))).toBe(
    'service_disabled',
  )
  expect(google.count(/token/)).toBe(before)
})

test('a state is good once, for its own provider and way', async () => {
  const { key } = await withProvider(service, 'google')
  await key.put(PROVIDERS, { provider: 'github', enabled: true, client_id: 'client', client_secret: 'op-secret' })
  const first = await startAt(key, 'google')
  const { code } = google.signIn(first.authorization_url, newcomer())
  const at = { code, state: first.state }
  const replies = await Promise.all([callBack(app, at), callBack(app, at), callBackByForm(app, at)])
  expect(replies.filter(({ headers }) => headers.get('location') !== null)).toHaveLength(1)
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(2)
  // The code of one provider cannot be used in a sign-in at another.
  const [atGithub, atGoogle] = [await startAt(key, 'github'), await startAt(key, 'google')]
  const given = google.signIn(atGoogle.authorization_url, newcomer())
  expect(arrived(await callBack(app, { code: given.code, state: atGithub.state }))['error']).toBe('idp_error')
  const sso = await app.as(null).get(`/v1/auth/login/sso/oidc/callback?code=x&state=${atGoogle.state}`)
  expect([sso.status, sso.headers.get('location')]).toEqual([400, null])
})

test('an address that is not on the list is refused at the start, and again at the callback', async () => {
  const { key } = await withProvider(service, 'google')
  const start = (redirectUri: string) => key.post('/v1/auth/login/social/start', { provider: 'google', redirectUri })
  for (const uri of [
    'https://evil.example/',
    'javascript:alert(1)',
    'http://localhost:3000@evil.example/',
    '//evil.example',
    'auth',
  ])
    expect((await start(uri)).body.code).toBe('invalid_redirect_uri')
  const { authorization_url, state } = await startAt(key, 'google')
  const { code } = google.signIn(authorization_url, newcomer())
  await key.patch('/v1/auth/settings', { allowed_redirect_uris: ['https://app.example.com/auth'] })
  const reply = await callBack(app, { code, state })
  expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
})

test('an address that nobody vouches for links nobody, and a linked person of one organization is unknown in another', async () => {
  const [one, two] = [await withProvider(service, 'google'), await withProvider(service, 'google')]
  const ada = newcomer()
  const at = { provider: 'google', peer: google, claims: ada }
  const [first, second] = [await signInAt(app, one.key, at), await signInAt(app, two.key, at)]
  expect(first['user_id']).not.toBe(second['user_id'])
  const claims = { sub: 'somebody else', email: ada.email, email_verified: false }
  expect((await signInAt(app, one.key, { ...at, claims }))['error']).toBe('email_not_verified')
})

test('what the browser brings is never written to the log', async () => {
  const { key } = await withProvider(service, 'google')
  const { authorization_url, state } = await startAt(key, 'google')
  const { code } = google.signIn(authorization_url, newcomer())
  const came = arrived(await callBack(app, { code, state }))
  const log = app.logLines.join()
  for (const secret of [code, state, came['access_token'], came['refresh_token'], 'op-secret'])
    expect(log).not.toContain(secret)
})

test('a code instead of tokens', async () => {
  const { key } = await withProvider(service, 'google')
  const { authorization_url, state } = await startAt(key, 'google', { response_mode: 'code' })
  const { code } = google.signIn(authorization_url, newcomer())
  const came = arrived(await callBack(app, { code, state }))
  expect(Object.keys(came).sort()).toEqual(['code', 'state'])
  const exchanged = await key.post('/v1/auth/token/exchange', { code: came['code'] })
  expect(exchanged.body.session).toMatchObject({ access_token: expect.any(String) })
})

test('a provider that does not answer at the start is told as such', async () => {
  const gone = await startApp({
    env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1', WATCHWORD_SOCIAL_GOOGLE_URL: 'http://127.0.0.1:1' },
  })
  const { key } = await withProvider({ tenant: await gone.tenant() }, 'google')
  const reply = await key.post('/v1/auth/login/social/start', { provider: 'google', redirectUri: HOME })
  expect([reply.status, reply.body.code]).toEqual([503, 'idp_unreachable'])
  expect(github.url).not.toBe(google.url)
})

test.each([
  [{ WATCHWORD_SOCIAL_GOOGLE_CLIENT_ID: 'x' }, 'WATCHWORD_SOCIAL_GOOGLE_CLIENT_SECRET is missing'],
  [{ WATCHWORD_SOCIAL_APPLE_TEAM_ID: 'x' }, 'WATCHWORD_SOCIAL_APPLE_CLIENT_ID is missing'],
  [{ WATCHWORD_SOCIAL_MICROSOFT_TENANT: 'acme' }, 'WATCHWORD_SOCIAL_MICROSOFT_TENANT is acme'],
  [{ WATCHWORD_SOCIAL_GITHUB_URL: 'http://github.internal' }, 'is not https'],
  [{ WATCHWORD_SOCIAL_GITHUB_URL: 'github.internal' }, 'WATCHWORD_SOCIAL_GITHUB_URL is github.internal'],
  [{ WATCHWORD_SOCIAL_CALLBACK: 'both' }, 'WATCHWORD_SOCIAL_CALLBACK is both'],
])('the environment %j is refused', (env, message) => {
  expect(() => parseConfig({ ...env })).toThrow(message)
})
