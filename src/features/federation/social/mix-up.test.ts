import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import type { Caller, TestApp } from '../../../../test/harness.ts'
import { startHostilePeer, startOidcPeer } from '../../../../test/peers/oidc-peer.ts'
import { callBack, callBackByForm, startAt, withProvider } from '../../../../test/peers/social-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { arrived, startFederatedApp } from '../../../../test/people/oidc-organization.ts'

// Mix-up (RFC 9700 §4.4): a provider under an attacker's control sends people to another provider, with a state of
// its own sign-in, so that the service would send the code to the attacker's token endpoint. Both providers run in
// separate processes.

const BASE = 'http://localhost:4000/api'
const SHARED = '/v1/auth/login/social/callback'
const PROVIDERS = '/v1/social/providers'
const TENANT = '11111111-2222-3333-4444-555555555555'
const SECRET = 'a secret of a client that is long enough'
const client = {
  client_id: 'client',
  client_secret: SECRET,
  token_endpoint_auth_method: 'client_secret_post' as const,
  redirect_uris: [`${BASE}${SHARED}/google`, `${BASE}${SHARED}`],
}
const honest = await startOidcPeer([client], { isTalkative: true })
const nameless = await startOidcPeer([client], { isTalkative: true, isNameless: true })
const hostile = await startHostilePeer()
const serviceAt = (google: string, more: Record<string, string> = {}) =>
  startFederatedApp({
    WATCHWORD_SOCIAL_GOOGLE_URL: google,
    WATCHWORD_SOCIAL_GITHUB_URL: hostile.issuer,
    WATCHWORD_SOCIAL_MICROSOFT_URL: hostile.issuer,
    ...more,
  })
const services = { honest: await serviceAt(honest.issuer), nameless: await serviceAt(nameless.issuer) }
const peers = { honest, nameless }

async function organization(name: keyof typeof services) {
  const { key } = await withProvider(services[name], 'google', { client_secret: SECRET })
  const theirs = { enabled: true, client_id: 'client', client_secret: SECRET }
  succeeded(await key.put(PROVIDERS, { provider: 'github', ...theirs }))
  succeeded(await key.put(PROVIDERS, { provider: 'microsoft', ...theirs, tenant: TENANT }))
  return key
}

async function visit(name: keyof typeof services, key: Caller, state?: string) {
  const { authorization_url } = await startAt(key, 'google')
  const link = new URL(authorization_url)
  if (state !== undefined) link.searchParams.set('state', state)
  const back = await peers[name].signIn(link.href, `${fresh()}@gmail.com`)
  return { fields: Object.fromEntries(back.searchParams), path: back.pathname.replace('/api', '') }
}

/** Stores the provider as releases before this field did. No route can do that. */
async function makeOld({ app }: { app: TestApp }, key: Caller, provider: string) {
  const { db } = app.app.platform
  await db.updateTable('social_providers').set({ options: '{}' }).where('provider', '=', provider).execute()
  // The change invalidates the service's cache.
  const { providers } = succeeded(await key.put(PROVIDERS, { provider, enabled: true }))
  return providers.find((each: { provider: string }) => each.provider === provider)
}

describe.each(['honest', 'nameless'] as const)('where the other provider is %s', (name) => {
  const { app } = services[name]

  test.each(['github', 'microsoft'])('a state of %s is refused before a token request', async (provider) => {
    const key = await organization(name)
    const theirs = await startAt(key, provider)
    const { fields, path } = await visit(name, key, theirs.state)
    expect([fields['state'], 'iss' in fields, path]).toEqual([theirs.state, name === 'honest', `${SHARED}/google`])
    expect(arrived(await callBack(app, fields, path))).toMatchObject({ error: 'response_invalid', state: theirs.state })
    expect(await hostile.received()).toEqual([])
    const own = await visit(name, key)
    expect(arrived(await callBack(app, own.fields, own.path))).toHaveProperty('access_token')
  })

  test('a state arrives at the redirect URI of its provider alone, by query or form', async () => {
    const key = await organization(name)
    for (const path of [SHARED, `${SHARED}/github`, `${SHARED}/GOOGLE`, `${SHARED}/x`])
      for (const bring of [callBack, callBackByForm]) {
        const { fields } = await visit(name, key)
        expect(arrived(await bring(app, fields, path))).toMatchObject({ error: 'response_invalid' })
      }
    const { fields, path } = await visit(name, key)
    expect(arrived(await callBackByForm(app, fields, path))).toHaveProperty('access_token')
    expect(await hostile.received()).toEqual([])
  })
})

test('an application of an earlier release keeps the shared redirect URI until it is changed, and iss is its defense', async () => {
  const service = services.honest
  const key = await organization('honest')
  for (const provider of ['google', 'github'])
    expect(await makeOld(service, key, provider)).toMatchObject({
      callback: 'shared',
      callback_url: `${BASE}${SHARED}`,
    })
  const theirs = await startAt(key, 'github')
  for (const state of [theirs.state, (await startAt(key, 'microsoft')).state]) {
    const { fields, path } = await visit('honest', key, state)
    expect(path).toBe(SHARED)
    expect(arrived(await callBack(service.app, fields, path))).toMatchObject({ error: 'response_invalid' })
  }
  const { fields, path } = await visit('honest', key)
  const { iss: _, ...rest } = fields
  expect(arrived(await callBack(service.app, rest, path))).toMatchObject({ error: 'response_invalid' })
  expect(await hostile.received()).toEqual([])
  const own = await visit('honest', key)
  expect(arrived(await callBack(service.app, own.fields, own.path))).toHaveProperty('access_token')
  const change = { provider: 'google', enabled: true, callback: 'provider' }
  expect(succeeded(await key.put(PROVIDERS, change)).providers[0]).toMatchObject({
    callback: 'provider',
    callback_url: `${BASE}${SHARED}/google`,
  })
  const changed = await visit('honest', key)
  expect(changed.path).toBe(`${SHARED}/google`)
  expect(arrived(await callBack(service.app, changed.fields, changed.path))).toHaveProperty('access_token')
  const back = await key.put(PROVIDERS, { ...change, callback: 'shared' })
  expect([back.status, back.body.errors[0].field]).toEqual([400, 'callback'])
})

const deployed = {
  WATCHWORD_SOCIAL_GOOGLE_CLIENT_ID: 'client',
  WATCHWORD_SOCIAL_GOOGLE_CLIENT_SECRET: SECRET,
}

/** The redirect URIs that an organization without its own application sees. */
async function shownBy({ tenant }: Awaited<ReturnType<typeof serviceAt>>) {
  const key = await tenant.withKey({ subOrgId: await tenant.organization() })
  const list = async () => succeeded(await key.get(PROVIDERS)).providers
  return { key, list, urls: (await list()).map(({ callback_url }: { callback_url: string }) => callback_url) }
}

const ownUrls = ['google', 'github', 'apple', 'microsoft'].map((provider) => `${BASE}${SHARED}/${provider}`)

test('the applications of a new deployment have the redirect URI of their provider, or what the operator says', async () => {
  expect((await shownBy(await serviceAt(honest.issuer, deployed))).urls).toEqual(ownUrls)
  const kept = await serviceAt(honest.issuer, { ...deployed, WATCHWORD_SOCIAL_CALLBACK: 'shared' })
  const { key, list, urls } = await shownBy(kept)
  expect(urls).toEqual([`${BASE}${SHARED}`, ...ownUrls.slice(1)])
  const refused = await key.put(PROVIDERS, { provider: 'google', enabled: true, callback: 'provider' })
  expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'callback'])
  // An organization registers its own application with the URI that the list shows.
  succeeded(await key.put(PROVIDERS, { provider: 'google', enabled: true, client_id: 'mine', client_secret: SECRET }))
  expect((await list())[0]).toMatchObject({ client_id: 'mine', callback: 'shared', callback_url: `${BASE}${SHARED}` })
})

test('the applications of a deployment of an earlier release keep the shared redirect URI', async () => {
  const upgraded = await serviceAt(honest.issuer, deployed)
  const { db } = upgraded.app.app.platform
  await sql`update social_redirects set is_shared = true`.execute(db)
  expect((await shownBy(upgraded)).urls).toEqual([`${BASE}${SHARED}`, ...ownUrls.slice(1)])
})
