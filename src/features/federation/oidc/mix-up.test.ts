import { describe, expect, test } from 'vitest'
import { startHostilePeer, startOidcPeer } from '../../../../test/peers/oidc-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  arrived,
  callBack,
  callbackPathOf,
  connect,
  type Proven,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'

// Mix-up (RFC 9700 §4.4): a hostile organization sends people to another organization's provider, with a state of the
// hostile organization, so that the service would send the code to the hostile token endpoint. Both providers run in
// separate processes.

const service = await startFederatedApp()
const { app } = service
const SECRET = 'a secret of a client that is long enough'
const BASE = 'http://localhost:4000/api'
const SHARED = '/v1/auth/login/sso/oidc/callback'
const hostile = await startHostilePeer()
const [home, evil] = [await provenOrganization(service), await provenOrganization(service)]
const later = { status: 'draft', oidc_client_id: 'acme' }
const connections = {
  named: await connect(home, 'https://later.example', later),
  nameless: await connect(home, 'https://later.example', later),
}
const client = (id: string) => ({
  client_id: 'acme',
  client_secret: SECRET,
  redirect_uris: [`${BASE}${SHARED}/${id}`, `${BASE}${SHARED}`],
})
const honest = {
  named: await startOidcPeer([client(connections.named)]),
  nameless: await startOidcPeer([client(connections.nameless)], { isNameless: true }),
}
for (const kind of ['named', 'nameless'] as const) {
  const there = { oidc_issuer: honest[kind].issuer, oidc_client_secret: SECRET, status: 'active' }
  succeeded(await home.key.patch(`/v1/sso/connections/${connections[kind]}`, there))
}
const trap = await connect(evil, hostile.issuer)

/** Stores the connection as releases before this field stored it. No route can do that. */
async function makeOld({ key }: Proven, id: string) {
  const { db } = app.app.platform
  const { config } = await db
    .selectFrom('sso_connections')
    .select('config')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { oidc_callback: _, ...old } = Object(config)
  await db
    .updateTable('sso_connections')
    .set({ config: JSON.stringify(old) })
    .where('id', '=', id)
    .execute()
  // The change invalidates the service's cache.
  return succeeded(await key.patch(`/v1/sso/connections/${id}`, { name: 'Old' })).connection
}

/** The person signs in at their own provider, through a link with the state of the hostile organization. */
async function lure(kind: keyof typeof honest) {
  const [theirs, ours] = [await start(evil, trap), await start(home, connections[kind])]
  const link = new URL(ours.authorization_url)
  link.searchParams.set('state', theirs.state)
  const back = await honest[kind].signIn(link.href, `ada@${home.domain}`)
  expect(back.searchParams.get('state')).toBe(theirs.state)
  expect(back.searchParams.has('code')).toBe(true)
  expect(back.searchParams.has('iss')).toBe(kind === 'named')
  return { back, theirs, ours, came: await callBack(app, Object.fromEntries(back.searchParams), pathIn(back)) }
}

const pathIn = (back: URL) => back.pathname.replace('/api', '')

async function signIn(kind: keyof typeof honest) {
  const { authorization_url } = await start(home, connections[kind])
  const back = await honest[kind].signIn(authorization_url, `ada@${home.domain}`)
  return arrived(await callBack(app, Object.fromEntries(back.searchParams), pathIn(back)))
}

const traces = async ({ key }: Proven, id: string) =>
  succeeded(await key.get(`/v1/sso/connections/${id}/traces`)).traces

describe.each(['named', 'nameless'] as const)('at a provider that is %s', (kind) => {
  test('the state of another connection is refused at the redirect URI of the connection, before a token request', async () => {
    const before = await app.events({ accountId: service.tenant.accountId, type: 'session.created' })
    const { back, ours, came, theirs } = await lure(kind)
    expect(arrived(came)).toMatchObject({ error: 'response_invalid', state: theirs.state })
    expect(came.headers.get('location')).not.toContain(back.searchParams.get('code'))
    expect(await hostile.received()).toEqual([])
    const [trace] = await traces(evil, trap)
    expect(trace).toMatchObject({ outcome: 'refused', said: { detail: expect.stringContaining('redirect URI') } })
    // The hostile organization has not received anything, and its state is used up.
    expect((await callBack(app, { code: 'x', state: theirs.state })).status).toBe(400)
    const after = await app.events({ accountId: service.tenant.accountId, type: 'session.created' })
    expect(after).toHaveLength(before.length)
    // The sign-in that the person began themselves still works.
    const honestBack = await honest[kind].signIn(ours.authorization_url, `ada@${home.domain}`)
    expect(
      arrived(await callBack(app, Object.fromEntries(honestBack.searchParams), pathIn(honestBack))),
    ).toHaveProperty('access_token')
  })
})

test('a state arrives at the redirect URI of its own connection alone', async () => {
  const elsewhere = [SHARED, `${SHARED}/${trap}`, `${SHARED}/${connections.nameless}`, `${SHARED}/x`]
  for (const path of elsewhere) {
    const { authorization_url } = await start(home, connections.named)
    expect(new URL(authorization_url).searchParams.get('redirect_uri')).toBe(`${BASE}${SHARED}/${connections.named}`)
    const back = await honest.named.signIn(authorization_url, `ada@${home.domain}`)
    const came = arrived(await callBack(app, Object.fromEntries(back.searchParams), path))
    expect(came).toMatchObject({ error: 'response_invalid' })
  }
  // The id in the path may be in upper case.
  const { authorization_url } = await start(home, connections.named)
  const back = await honest.named.signIn(authorization_url, `ada@${home.domain}`)
  const path = `${SHARED}/${connections.named.toUpperCase()}`
  expect(arrived(await callBack(app, Object.fromEntries(back.searchParams), path))).toHaveProperty('access_token')
  expect(await hostile.received()).toEqual([])
})

test('a connection of an earlier release keeps the shared redirect URI until it is changed, and iss is its defense', async () => {
  const id = connections.named
  expect(await makeOld(home, id)).toMatchObject({ oidc_callback: 'shared', oidc_redirect_uri: `${BASE}${SHARED}` })
  const old = await start(home, id)
  expect(callbackPathOf(old.authorization_url)).toBe(`/api${SHARED}`)
  expect(await signIn('named')).toHaveProperty('access_token')
  // At the shared redirect URI, the state of a connection with its own redirect URI is refused.
  expect(arrived((await lure('named')).came)).toMatchObject({ error: 'response_invalid' })
  // The state of another old connection is refused, since the response names another issuer.
  await makeOld(evil, trap)
  expect(arrived((await lure('named')).came)).toMatchObject({ error: 'response_invalid' })
  const withoutName = await start(home, id)
  const back = await honest.named.signIn(withoutName.authorization_url, `ada@${home.domain}`)
  const { iss: _, ...rest } = Object.fromEntries(back.searchParams)
  expect(arrived(await callBack(app, rest, SHARED))).toMatchObject({ error: 'response_invalid' })
  expect(await hostile.received()).toEqual([])
  const { checks } = succeeded(await home.key.post(`/v1/sso/connections/${id}/test`, {}))
  const warning = checks.find((check: { id: string }) => check.id === 'redirect_uri')
  expect(warning).toMatchObject({ ok: true, fix: expect.stringContaining(`${BASE}${SHARED}/${id}`) })
  // The change cannot be reverted.
  const path = `/v1/sso/connections/${id}`
  const { connection } = succeeded(await home.key.patch(path, { oidc_callback: 'connection' }))
  expect(connection.oidc_redirect_uri).toBe(`${BASE}${SHARED}/${id}`)
  expect(await signIn('named')).toHaveProperty('access_token')
  const tested = succeeded(await home.key.post(`${path}/test`, {})).checks
  expect(tested.map((check: { id: string }) => check.id)).not.toContain('redirect_uri')
  const refused = await home.key.patch(path, { oidc_callback: 'shared' })
  expect([refused.status, refused.body.code, refused.body.errors[0].field]).toEqual([
    400,
    'invalid_request',
    'oidc_callback',
  ])
})

test('a new connection cannot have the shared redirect URI', async () => {
  const body = { name: 'New', protocol: 'oidc', oidc_callback: 'shared' }
  const refused = await home.key.post('/v1/sso/connections', body)
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
  const made = succeeded(await home.key.post('/v1/sso/connections', { ...body, oidc_callback: 'connection' }))
  expect(made.connection.oidc_callback).toBe('connection')
})
