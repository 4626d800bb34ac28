import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { codeOf, enrollTotp, signInByLink, succeeded } from '../../../../test/people/factors.ts'
import {
  arrived,
  callBack,
  connect,
  type Proven,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'

// Which sessions a logout token ends: OpenID Connect Back-Channel Logout §2.4 to §2.7.

const service = await startFederatedApp()
const { app } = service
const peer = await startOpPeer()
const home = await provenOrganization(service)
const connectionId = await connect(home, peer.url)

interface Claims {
  sub?: string
  sid?: unknown
}

/** Signs a person in. Returns the parameters that the application gets. */
async function arrive({ sub = '', ...claims }: Claims, more: { by?: string; at?: Proven; mode?: string } = {}) {
  const { by = connectionId, at = home, mode } = more
  const begun = await start(at, by, mode === undefined ? {} : { response_mode: mode })
  const email = `${sub}@${at.domain}`
  const { code } = peer.signIn(begun.authorization_url, { sub, email, email_verified: true, ...claims })
  return arrived(await callBack(app, { code, state: begun.state }))
}

const isLive = async (token = '', { key } = home): Promise<boolean> =>
  succeeded(await key.post('/v1/auth/token/introspect', { token })).active

/** Signs a person in. Returns a function that checks whether the session is live. */
async function signIn(claims: Claims, more: { by?: string; at?: Proven } = {}) {
  const { refresh_token } = await arrive(claims, more)
  return () => isLive(refresh_token, more.at)
}

async function logOut(claims: Claims, by = connectionId): Promise<number> {
  const iat = Math.floor(Date.now() / 1000)
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const said = { iss: peer.url, aud: 'client', iat, exp: iat + 120, jti: fresh(), events, ...claims }
  const body = new URLSearchParams({ logout_token: peer.sign({ typ: 'logout+jwt' }, said) }).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return (await app.as(null).post(`/v1/auth/login/sso/oidc/logout/${by}`, body, type)).status
}

test('with a session of its own a token ends that session, and no other of the person', async () => {
  const [sub, one, two] = [fresh(), fresh(), fresh()]
  const sessions = [await signIn({ sub, sid: one }), await signIn({ sub, sid: two }), await signIn({ sub: fresh() })]
  const living = () => Promise.all(sessions.map((lives) => lives()))
  expect(await logOut({ sub, sid: one })).toBe(204)
  expect(await living()).toEqual([false, true, true])
  // A token that names only the session also ends it.
  expect(await logOut({ sid: two })).toBe(204)
  expect(await living()).toEqual([false, false, true])
  const events = await app.events({ accountId: service.tenant.accountId, type: 'session.revoked' })
  expect(events.map(({ data }) => Object(data).reason)).toEqual(['idp_logout', 'idp_logout'])
})

test('one sign-in there may have brought several sessions here: all of them end', async () => {
  const [sub, sid] = [fresh(), fresh()]
  const sessions = [await signIn({ sub, sid }), await signIn({ sub, sid })]
  expect(await logOut({ sid })).toBe(204)
  expect(await Promise.all(sessions.map((lives) => lives()))).toEqual([false, false])
})

test('without a session a token ends all that the person has by this connection, and none by other ways', async () => {
  const sub = fresh()
  const second = await connect(home, peer.url, { name: 'Second' })
  const [first, again] = [await signIn({ sub, sid: fresh() }), await signIn({ sub })]
  const elsewhere = await signIn({ sub }, { by: second })
  const { session } = succeeded(await signInByLink(home.key, `${sub}@${home.domain}`))
  expect(await logOut({ sub })).toBe(204)
  expect([await first(), await again(), await elsewhere(), await isLive(session.refresh_token)]).toEqual([
    false,
    false,
    true,
    true,
  ])
})

test('a session is known by its connection: the same name at another ends nothing', async () => {
  const [sub, sid] = [fresh(), fresh()]
  const other = await provenOrganization(service)
  const theirs = await connect(other, peer.url)
  const second = await connect(home, peer.url, { name: 'Third' })
  const lives = await signIn({ sub, sid })
  expect([await logOut({ sid }, theirs), await logOut({ sub, sid }, second), await logOut({ sid }, second)]).toEqual([
    204, 204, 204,
  ])
  expect(await lives()).toBe(true)
})

test('of a token that names person and session both must fit', async () => {
  const [ada, bo, sid] = [fresh(), fresh(), fresh()]
  const sessions = [await signIn({ sub: ada, sid: fresh() }), await signIn({ sub: bo, sid })]
  expect(await logOut({ sub: ada, sid })).toBe(204)
  expect(await Promise.all(sessions.map((lives) => lives()))).toEqual([true, true])
})

test('a session of the person ends of which the provider did not say which one it is', async () => {
  const sub = fresh()
  const [unnamed, named] = [await signIn({ sub }), await signIn({ sub, sid: fresh() })]
  const strange = await signIn({ sub, sid: 7 })
  // Sessions without a usable `sid` may be the one that is meant, so they end.
  expect(await logOut({ sub, sid: fresh() })).toBe(204)
  expect([await unnamed(), await strange(), await named()]).toEqual([false, false, true])
})

test.each<[string, Claims]>([
  ['nobody and nothing', {}],
  ['an empty session', { sid: '' }],
  ['a session that is no text', { sid: 7 }],
  ['a session that is not stored as it is', { sid: '\ud800' }],
  ['a person beside a session that is no text', { sub: 'ada', sid: [] }],
])('refuses a token that names %s', async (_, claims) => {
  const lives = await signIn({ sub: 'ada' })
  expect([await logOut(claims), await lives()]).toEqual([400, true])
})

test('an ID token that is too long to be kept names its session all the same', async () => {
  const [sub, sid] = [fresh(), fresh()]
  peer.behaviour.claims = (claims) => ({ ...claims, long: 'x'.repeat(5000) })
  const [lives, other] = [await signIn({ sub, sid }), await signIn({ sub, sid: fresh() })]
  peer.calm()
  expect(await logOut({ sid })).toBe(204)
  expect([await lives(), await other()]).toEqual([false, true])
})

test('a code of that sign-in gives no session any more, and others do', async () => {
  const [sub, sid] = [fresh(), fresh()]
  const codes = [await arrive({ sub, sid }, { mode: 'code' }), await arrive({ sub, sid: fresh() }, { mode: 'code' })]
  expect(await logOut({ sid })).toBe(204)
  const exchange = async (code = '') => (await home.key.post('/v1/auth/token/exchange', { code })).body.code
  expect(await exchange(codes[0]?.['code'])).toBe('code_invalid')
  expect(await exchange(codes[1]?.['code'])).toBeUndefined()
  const last = await arrive({ sub, sid: fresh() }, { mode: 'code' })
  expect(await logOut({ sub })).toBe(204)
  expect(await exchange(last['code'])).toBe('code_invalid')
})

test('a sign-in that waits for its second factor ends, and a session that had to show one is still known', async () => {
  const [sub, first, second] = [fresh(), fresh(), fresh()]
  const begun = await arrive({ sub, sid: first })
  const { secret, backupCodes } = await enrollTotp(home.key, begun['directory_user_id'] ?? '', {
    revokeSessions: false,
  })
  const pass = (challenge_token: unknown, code = '') =>
    home.key.post('/v1/mfa/challenge/verify', { challenge_token, code })
  const [{ challenge_token }, other] = [await arrive({ sub, sid: second }), await arrive({ sub, sid: fresh() })]
  succeeded(await pass(other['challenge_token'], codeOf(secret, 1)))
  expect(await logOut({ sid: second })).toBe(204)
  expect((await pass(challenge_token, backupCodes[1])).body.code).toBe('challenge_expired')
  expect(await isLive(begun['refresh_token'])).toBe(true)
  // The second factor replaces the session by another one, which the provider may also end.
  succeeded(await home.key.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 0 }))
  const { refresh_token } = begun
  const refreshed = succeeded(await home.key.post('/v1/auth/token/refresh', { refresh_token }))
  const { session } = succeeded(await pass(refreshed.challenge_token, backupCodes[0]))
  succeeded(await home.key.patch('/v1/mfa/policy', { require_mfa: false }))
  expect(await isLive(session.refresh_token)).toBe(true)
  expect(await logOut({ sid: first })).toBe(204)
  expect(await isLive(session.refresh_token)).toBe(false)
})

test('a session of an earlier release ends with the person, and with any session of theirs', async () => {
  const [sub, sid] = [fresh(), fresh()]
  const forget = () =>
    app.app.platform.db
      .updateTable('federated_sessions')
      .set({ name_hash: null, provider_session_hash: null })
      .where('directory_id', 'is not', null)
      .execute()
  const sessions = [await signIn({ sub, sid }), await signIn({ sub: fresh(), sid: fresh() })]
  await forget()
  expect(await logOut({ sid })).toBe(204)
  expect(await Promise.all(sessions.map((lives) => lives()))).toEqual([true, true])
  expect(await logOut({ sub, sid: fresh() })).toBe(204)
  expect(await Promise.all(sessions.map((lives) => lives()))).toEqual([false, true])
  const last = await signIn({ sub })
  await forget()
  expect(await logOut({ sub })).toBe(204)
  expect(await last()).toBe(false)
})

test('neither the name nor the session is stored as it was said', async () => {
  const [sub, sid] = [fresh(), fresh()]
  await arrive({ sub, sid })
  await arrive({ sub, sid }, { mode: 'code' })
  const { db } = app.app.platform
  const tied = await db.selectFrom('federated_sessions').selectAll().execute()
  const codes = await db.selectFrom('exchange_codes').selectAll().execute()
  const rows = JSON.stringify([tied, codes], (_, value) =>
    Object(value)['type'] === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  for (const said of [sub, sid]) expect(rows).not.toContain(said)
})
