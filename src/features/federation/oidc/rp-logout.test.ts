import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { makeProvenUser, signInByLink, succeeded } from '../../../../test/people/factors.ts'
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
const [peer, other] = [await startOpPeer(), await startOpPeer()]
const END = `${peer.url}/end?tenant=1`
peer.behaviour.discovery = (document) => ({ ...document, end_session_endpoint: END })
other.behaviour.discovery = (document) => ({ ...document, end_session_endpoint: `${other.url}/end` })
const home = await provenOrganization(service)
const connectionId = await connect(home, peer.url)
const GOODBYE = 'http://localhost:3000/goodbye?from=app'
const BACK = '/v1/auth/login/sso/oidc/logged-out'

async function signIn(place = home, connection = connectionId) {
  const { authorization_url, state } = await start(place, connection)
  const { code } = peer.signIn(authorization_url, { sub: fresh(), email: `${fresh()}@${place.domain}` })
  return arrived(await callBack(app, { code, state }))
}

const logOut = (body: Record<string, unknown>, by = home.key) =>
  by.post('/v1/auth/login/sso/logout', { redirectUri: GOODBYE, ...body })
const comeBack = (fields: Record<string, string>) => app.as(null).get(`${BACK}?${new URLSearchParams(fields)}`)
const isLive = async (token = '', by = home.key) =>
  succeeded(await by.post('/v1/auth/token/introspect', { token })).active

/** Begins a logout at the provider. Returns the state that the browser brings back. */
async function leave(more: Record<string, unknown> = { state: 'theirs' }): Promise<string> {
  const { refresh_token } = await signIn()
  const { logoutUrl } = succeeded(await logOut({ refresh_token, ...more }))
  return new URL(logoutUrl).searchParams.get('state') ?? ''
}

test('ends the session, and takes the browser to the provider and back', async () => {
  const [first, second] = [await signIn(), await signIn()]
  const { logoutUrl, success } = succeeded(await logOut({ refresh_token: first['refresh_token'], state: 'a&b' }))
  expect([success, await isLive(first['access_token']), await isLive(second['access_token'])]).toEqual([
    true,
    false,
    true,
  ])
  const url = new URL(logoutUrl)
  expect(url.href.startsWith(`${END}&`)).toBe(true)
  const { id_token_hint: hint = '', state = '', ...asked } = Object.fromEntries(url.searchParams)
  const back = 'http://localhost:4000/api/v1/auth/login/sso/oidc/logged-out'
  expect(asked).toEqual({ tenant: '1', client_id: 'client', post_logout_redirect_uri: back })
  const { connection } = succeeded(await home.key.get(`/v1/sso/connections/${connectionId}`))
  expect(connection.oidc_post_logout_redirect_uri).toBe(back)
  expect(JSON.parse(atob(hint.split('.')[1] ?? ''))).toMatchObject({
    iss: peer.url,
    aud: 'client',
    sub: expect.any(String),
  })
  expect(state).toMatch(/^[0-9A-Za-z]{76}$/)
  const reply = await comeBack({ state })
  expect(reply.headers.get('location')).toBe(`${GOODBYE}&state=a%26b`)
  expect(await isLive(second['access_token'])).toBe(true)
  const events = await app.events({ accountId: service.tenant.accountId, type: 'session.revoked' })
  expect(events.map(({ data }) => Object(data).reason)).toEqual(['logout'])
})

test('a state is good once, for its own purpose, within ten minutes', async () => {
  const state = await leave()
  const replies = await Promise.all(Array.from({ length: 5 }, () => comeBack({ state })))
  expect(replies.map(({ status }) => status).sort()).toEqual([302, 400, 400, 400, 400])
  // The state of a sign-in does not end a logout, nor the other way round.
  const begun = await start(home, connectionId)
  expect((await comeBack({ state: begun.state })).status).toBe(400)
  const leaving = await leave()
  expect((await callBack(app, { code: 'x', state: leaving })).status).toBe(400)
  // Neither attempt has used up the state.
  expect((await comeBack({ state: leaving })).status).toBe(302)
  const { code } = peer.signIn(begun.authorization_url, { sub: fresh(), email: `${fresh()}@${home.domain}` })
  expect(arrived(await callBack(app, { code, state: begun.state }))).toHaveProperty('access_token')
  const late = await leave()
  await app.advance(601)
  expect((await comeBack({ state: late })).status).toBe(400)
  await app.advance(-601)
  const forged = late.slice(0, -1) + (late.endsWith('0') ? '1' : '0')
  for (const wrong of [forged, '', 'x'.repeat(76)]) expect((await comeBack({ state: wrong })).status).toBe(400)
  expect((await comeBack({})).headers.get('location')).toBeNull()
})

test('what the provider does not do is told by a fixed code, and nothing that it says leads elsewhere', async () => {
  const state = await leave()
  const reply = await comeBack({ state, error: 'https://evil.example', redirectUri: 'https://evil.example' })
  const url = new URL(reply.headers.get('location') ?? '')
  expect([url.origin, url.pathname]).toEqual(['http://localhost:3000', '/goodbye'])
  expect(Object.fromEntries(url.searchParams)).toEqual({
    from: 'app',
    state: 'theirs',
    error: 'idp_error',
    error_description: 'The provider did not sign the person out.',
  })
})

test('goes to addresses of the list alone, judged at the start and when the browser comes back', async () => {
  const allow = (uris: string[]) => home.key.patch('/v1/auth/settings', { allowed_redirect_uris: uris })
  await allow([GOODBYE, HOME])
  const { refresh_token, access_token } = await signIn()
  for (const redirectUri of ['https://evil.example', 'http://localhost:3000/goodbye', 'javascript:alert(1)'])
    expect((await logOut({ refresh_token, redirectUri })).body.code).toBe('invalid_redirect_uri')
  expect(await isLive(access_token)).toBe(true)
  const state = await leave()
  await allow([HOME])
  const reply = await comeBack({ state })
  expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
  await allow([])
})

test('answers again for a session that has ended, and ends none of another organization', async () => {
  const { refresh_token, access_token } = await signIn()
  const first = succeeded(await logOut({ refresh_token }))
  const again = succeeded(await logOut({ refresh_token }))
  expect([first.logoutUrl, again.logoutUrl]).toEqual([expect.any(String), expect.any(String)])
  expect(await isLive(access_token)).toBe(false)
  const elsewhere = await provenOrganization(service)
  const live = await signIn()
  const sid = JSON.parse(atob((live['access_token'] ?? '').split('.')[1] ?? '')).sid
  const named = [{ session_id: sid }, { refresh_token: live['refresh_token'] }, { access_token: live['access_token'] }]
  for (const body of named) expect((await logOut(body, elsewhere.key)).body).toEqual({ success: true, logoutUrl: null })
  expect(await isLive(live['access_token'])).toBe(true)
  for (const body of [{}, { ...named[0], ...named[1] }]) expect((await logOut(body)).status).toBe(400)
  expect(succeeded(await logOut({ session_id: sid })).logoutUrl).toContain(END)
})

test('a refresh token that was used already ends the session, and learns nothing of who signed in', async () => {
  const refresh = (token = '') => home.key.post('/v1/auth/token/refresh', { refresh_token: token })
  const first = await signIn()
  const second = succeeded(await refresh(first['refresh_token'])).session
  // Within the reuse interval, the old token may come from a client that did not receive its successor.
  expect(succeeded(await logOut({ refresh_token: first['refresh_token'] })).logoutUrl).toContain(END)
  expect(await isLive(second.access_token)).toBe(false)
  const old = await signIn()
  const next = succeeded(await refresh(old['refresh_token'])).session
  const last = succeeded(await refresh(next.refresh_token)).session
  expect((await logOut({ refresh_token: old['refresh_token'] })).body).toEqual({ success: true, logoutUrl: null })
  expect(await isLive(last.access_token)).toBe(false)
  const lent = await signIn()
  const own = succeeded(await refresh(lent['refresh_token'])).session
  await app.advance(300)
  expect((await logOut({ refresh_token: lent['refresh_token'] })).body).toEqual({ success: true, logoutUrl: null })
  expect(succeeded(await logOut({ refresh_token: own.refresh_token })).logoutUrl).toContain(END)
  await app.advance(-300)
})

test('a session of another kind, or whose provider takes no logout now, just ends', async () => {
  const { email } = await makeProvenUser(home.key)
  const { session } = succeeded(await signInByLink(home.key, email))
  const ended = async (token: string) => [
    succeeded(await logOut({ access_token: token })).logoutUrl,
    await isLive(token),
  ]
  expect(await ended(session.access_token)).toEqual([null, false])
  const change = (fields: object) => home.key.patch(`/v1/sso/connections/${connectionId}`, { ...fields })
  // Neither another provider nor another client at the same provider gets the ID token.
  for (const [there, back] of [
    [
      { oidc_issuer: other.url, oidc_client_secret: 'x' },
      { oidc_issuer: peer.url, oidc_client_secret: 'op-secret' },
    ],
    [{ oidc_client_id: 'another' }, { oidc_client_id: 'client' }],
  ] as const) {
    const { access_token = '' } = await signIn()
    await change(there)
    expect(await ended(access_token)).toEqual([null, false])
    await change(back)
  }
  const bare = await startOpPeer()
  const connection = await connect(home, bare.url)
  const begun = await start(home, connection)
  const { code } = bare.signIn(begun.authorization_url, { sub: 'bo', email: `bo@${home.domain}` })
  const { access_token = '' } = arrived(await callBack(app, { code, state: begun.state }))
  expect(await ended(access_token)).toEqual([null, false])
  const gone = await signIn()
  succeeded(await home.key.delete(`/v1/sso/connections/${connectionId}`))
  expect(await ended(gone['access_token'] ?? '')).toEqual([null, false])
})
