import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { mailedCode } from '../../../test/people/sign-in.ts'
import { startSecondApp } from '../../../test/second-app.ts'
import { Watchword } from '../src/index.ts'
import { type ActiveSession, CrossSiteError, SealedCookie, Sessions, SessionUnavailableError } from '../src/sessions.ts'
import { TokenVerifier } from '../src/tokens.ts'
import { payloadOf, signedInBySdk } from './signed-in.ts'

const app = await startApp()
const second = await startSecondApp(app)
const tenant = await app.tenant()
/** How far the clocks of the service and of the application have been moved, in seconds. */
let ahead = 0
const now = () => Date.now() + ahead * 1000
async function advance(seconds: number) {
  ahead += seconds
  await app.advance(seconds)
}
const secret = 'a secret of at least 32 characters, for tests'
const origin = 'https://app.example.com'
const watchword = new Watchword({ url: app.baseUrl, apiKey: tenant.key })
const signIn = () => signedInBySdk(app, tenant)

const { session: some } = await signIn()
const payload = payloadOf(some.access_token)

/** Sessions of one process of an application, which counts its refreshes. */
function newSessions(url = app.baseUrl) {
  const calls: string[] = []
  const counted: typeof fetch = (address, init) => {
    calls.push(new URL(String(address)).pathname)
    return fetch(address, init)
  }
  const client = new Watchword({ url, apiKey: tenant.key, fetch: counted })
  const verifier = new TokenVerifier({
    issuer: payload.iss,
    audience: payload.aud,
    now,
    jwksUrl: `${url}/.well-known/jwks.json`,
  })
  return { sessions: new Sessions({ client, verifier, origin, secret, now }), verifier, calls }
}

const requestWith = (setCookie: string) => ({ headers: { cookie: `other=1; ${setCookie.split(';')[0]}` } })

test('a browser that is signed in is recognized by its cookie', async () => {
  const { subOrgId, user, session } = await signIn()
  const { sessions } = newSessions()
  const cookie = await sessions.start(session)
  expect(cookie).toMatch(/^__Host-session=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
  expect(Buffer.byteLength(cookie)).toBeLessThan(4096)
  expect(cookie).not.toContain(session.refresh_token)
  const read = await sessions.read(requestWith(cookie))
  expect(read.session?.claims.directory_user_id).toBe(user.id)
  expect(read.setCookie).toBeNull()
  expect((await read.session?.user.me.get())?.user.id).toBe(user.id)
  // Its calls are for the person who sent the request.
  const sent = { ...requestWith(cookie), ip: '203.0.113.9' }
  await (await sessions.read(sent)).session?.user.me.update({ displayName: 'Read' })
  await (await sessions.peek(sent))?.user.me.update({ displayName: 'Peeked' })
  await app.settled()
  const { events } = await watchword.audit.list({ subOrgId, types: 'user.updated' })
  expect(events.map(({ ip_address }) => ip_address)).toEqual(['203.0.113.9', '203.0.113.9'])
  expect(await sessions.read({ headers: {} })).toEqual({ session: null, setCookie: null })
})

test('20 requests with an expired token make one refresh for each process, and one session stays', async () => {
  const { subOrgId, user, session } = await signIn()
  const [one, two] = [newSessions(), newSessions(second.baseUrl)]
  const cookie = await one.sessions.start(session)
  await advance(session.expires_in + 10)
  const reads = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 ? one : two).sessions.read(requestWith(cookie))),
  )
  expect(reads.map(({ session: found }) => found?.claims.directory_user_id)).toEqual(Array(20).fill(user.id))
  expect(one.calls.filter((path) => path.endsWith('/refresh'))).toHaveLength(1)
  expect(two.calls.filter((path) => path.endsWith('/refresh'))).toHaveLength(1)
  // Both processes have got the same successor.
  expect(new Set(reads.map(({ session: found }) => found?.claims.sid)).size).toBe(1)
  const { users } = await watchword.sessions.list({ subOrgId })
  expect(users.flatMap(({ sessions }) => sessions)).toHaveLength(1)
  // Each response keeps the new tokens, and the next request needs no refresh.
  for (const { setCookie } of reads) {
    const next = await one.sessions.read(requestWith(setCookie ?? ''))
    expect(next.session?.claims.sid).toBe(reads[0]?.session?.claims.sid)
    expect(next.setCookie).toBeNull()
  }
  expect(one.calls.filter((path) => path.endsWith('/refresh'))).toHaveLength(1)
})

test('once the session has ended, its next refresh signs the browser out', async () => {
  const { subOrgId, user, session } = await signIn()
  const { sessions } = newSessions()
  const cookie = await sessions.start(session)
  await watchword.users.revokeSessions(user.id, { subOrgId })
  await advance(session.expires_in + 10)
  const read = await sessions.read(requestWith(cookie))
  expect(read.session).toBeNull()
  expect(read.setCookie).toMatch(/^__Host-session=; Path=\/; Max-Age=0;/)
})

test('while Watchword is unreachable the cookie stays', async () => {
  const { session } = await signIn()
  const { sessions } = newSessions()
  const cookie = await sessions.start(session)
  await advance(session.expires_in + 10)
  const away = newSessions('http://127.0.0.1:1')
  await expect(away.sessions.read(requestWith(cookie))).rejects.toThrow(SessionUnavailableError)
  expect((await sessions.read(requestWith(cookie))).session).not.toBeNull()
})

test('a sign-out ends the session, and forgets the cookie', async () => {
  const { session } = await signIn()
  const { sessions } = newSessions()
  const cookie = await sessions.start(session)
  const ended = await sessions.end(requestWith(cookie))
  expect(ended).toEqual({ setCookie: expect.stringMatching(/^__Host-session=; .*Max-Age=0/), error: null })
  const { active } = await watchword.tokens.introspect({ token: session.access_token })
  expect(active).toBe(false)
  expect(await sessions.end({ headers: {} })).toMatchObject({ error: null })
})

test('a cookie that was changed, sealed by another secret, or of another name is none', async () => {
  const options = { secret, secure: true }
  const cookie = new SealedCookie<{ n: number }>({ name: 'a', ...options })
  const set = await cookie.write({ n: 7 }, 60)
  const [pair = ''] = set.split(';')
  const read = (one: SealedCookie<unknown>, header: string) => one.read({ headers: { cookie: header } })
  expect(await read(cookie, pair)).toEqual({ n: 7 })
  const last = pair.at(-1) === 'A' ? 'B' : 'A'
  expect(await read(cookie, `${pair.slice(0, -2)}${last}${pair.at(-1)}`)).toBeNull()
  expect(await read(new SealedCookie({ name: 'a', secret: secret.toUpperCase(), secure: true }), pair)).toBeNull()
  expect(await read(new SealedCookie({ name: 'b', ...options }), pair.replace('__Host-a', '__Host-b'))).toBeNull()
  expect(await read(new SealedCookie({ name: 'a', ...options, now: () => Date.now() + 61_000 }), pair)).toBeNull()
  const rotated = new SealedCookie({ name: 'a', secret: [`new ${secret}`, secret], secure: true })
  expect(await read(rotated, pair)).toEqual({ n: 7 })
  expect(() => new SealedCookie({ name: 'a', secret: 'short', secure: true })).toThrow('at least 32 characters')
  await expect(cookie.write({ n: randomBytes(4000).toString('base64') } as never, 60)).rejects.toThrow(RangeError)
})

test('a request that changes something must come from a page of the application', () => {
  const { sessions } = newSessions()
  const post = (headers: Record<string, string>) => () => sessions.assertSameOrigin({ method: 'POST', headers })
  expect(post({ origin })).not.toThrow()
  expect(post({ 'sec-fetch-site': 'same-origin', origin })).not.toThrow()
  for (const headers of [
    {},
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: `${origin}.evil.test` },
    { 'sec-fetch-site': 'same-site', origin },
    { 'sec-fetch-site': 'cross-site', origin },
    { 'sec-fetch-site': 'none' },
  ])
    expect(post(headers as Record<string, string>)).toThrow(CrossSiteError)
  expect(() => sessions.assertSameOrigin({ method: 'GET', headers: {} })).not.toThrow()
  expect(() => sessions.assertSameOrigin({ headers: { 'sec-fetch-site': 'cross-site' } })).toThrow(CrossSiteError)
  expect(() => sessions.assertSameOrigin(new Request(origin, { method: 'POST' }))).toThrow(CrossSiteError)
  expect(sessions.isSameOrigin({ method: 'GET', headers: { 'sec-fetch-site': 'same-origin' } })).toBe(true)
  for (const site of ['cross-site', 'same-site', 'none'])
    expect(sessions.isSameOrigin({ method: 'GET', headers: { 'sec-fetch-site': site } })).toBe(false)
  expect(sessions.isSameOrigin({ method: 'GET', headers: {} })).toBe(false)
})

test('tokens that were renewed are not lost while the keys are unreachable', async () => {
  const { session } = await signIn()
  const { sessions } = newSessions()
  const cookie = await sessions.start(session)
  await advance(session.expires_in + 10)
  const verifier = new TokenVerifier({
    issuer: payload.iss,
    audience: payload.aud,
    now,
    jwksUrl: 'http://127.0.0.1:1/jwks',
  })
  // Keys that are read for the old token, and cannot be read for the new one.
  const real = newSessions()
  let checks = 0
  const failing = { verify: (token: string) => (checks++ === 0 ? real.verifier.verify(token) : verifier.verify(token)) }
  const client = new Watchword({ url: app.baseUrl, apiKey: tenant.key })
  const broken = new Sessions({ client, verifier: failing as unknown as TokenVerifier, origin, secret, now })
  const error = await broken.read(requestWith(cookie)).catch((reason: unknown) => reason)
  if (!(error instanceof SessionUnavailableError)) throw new Error(String(error))
  // A log that prints the error has no cookie that signs in.
  expect(error.setCookie).toContain('session=')
  expect(inspect(error)).not.toContain('session=')
  await advance(60)
  const read = await sessions.read(requestWith(error.setCookie ?? ''))
  expect(read.session?.claims.directory_user_id).toBe(session.directory_user_id)
})

test('a request with the old cookie does not undo a sign-out', async () => {
  const { session } = await signIn()
  const { sessions } = newSessions()
  const old = await sessions.start(session)
  await advance(session.expires_in + 10)
  const { setCookie } = await sessions.read(requestWith(old))
  expect((await sessions.end(requestWith(setCookie ?? ''))).error).toBeNull()
  const read = await sessions.read(requestWith(old))
  expect([read.session, read.setCookie]).toEqual([null, expect.stringContaining('Max-Age=0')])
})

test('a refresh under way does not undo a sign-out', async () => {
  const { session } = await signIn()
  const { verifier } = newSessions()
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const client = new Watchword({
    url: app.baseUrl,
    apiKey: tenant.key,
    fetch: async (address, init) => {
      const reply = await fetch(address, init)
      if (!String(address).endsWith('/auth/token/refresh')) return reply
      asked.resolve()
      await held.promise
      return reply
    },
  })
  const sessions = new Sessions({ client, verifier, origin, secret, now })
  const old = await sessions.start(session)
  await advance(session.expires_in + 10)
  const read = sessions.read(requestWith(old))
  await asked.promise
  await sessions.end(requestWith(old))
  held.resolve()
  const { session: found, setCookie } = await read
  expect([found, setCookie]).toEqual([null, expect.stringContaining('Max-Age=0')])
})

test('a sign-out says why the session could not be ended', async () => {
  const { session } = await signIn()
  const { sessions } = newSessions()
  const cookie = await sessions.start(session)
  const weak = await tenant.withKey({ scopes: ['users.read'] })
  const client = new Watchword({ url: app.baseUrl, apiKey: weak.key })
  const { verifier } = newSessions()
  const other = new Sessions({ client, verifier, origin, secret, now })
  expect(await other.end(requestWith(cookie))).toMatchObject({ error: { code: 'insufficient_scope' } })
})

test('a token that is about to end is refreshed, and serves while Watchword is unreachable', async () => {
  const { session } = await signIn()
  const { sessions, calls } = newSessions()
  const cookie = await sessions.start(session)
  await advance(session.expires_in - 20)
  const away = newSessions()
  await away.sessions.read(requestWith(cookie)).then(({ setCookie }) => expect(setCookie).not.toBeNull())
  const unreachable = new Sessions({
    client: new Watchword({ url: 'http://127.0.0.1:1', apiKey: tenant.key }),
    verifier: away.verifier,
    origin,
    secret,
    now,
  })
  expect((await unreachable.read(requestWith(cookie))).session).not.toBeNull()
  expect(calls.filter((path) => path.endsWith('/refresh'))).toEqual([])
})

test('the token of somebody with many permissions and claims fits', async () => {
  const { sessions } = newSessions()
  const { subOrgId, user, session } = await signIn()
  expect(Buffer.byteLength(await sessions.start(session))).toBeLessThan(2000)
  const names = Array.from({ length: 60 }, (_, at) => `documents:of-kind-${at}:write`)
  const { role } = await watchword.roles.create({ subOrgId, name: 'All', permissions: names } as never)
  await watchword.roles.setForUser(user.id, { subOrgId, roleIds: [role.id] })
  const metadata = { plan: randomBytes(600).toString('base64') }
  await watchword.organizations.update(subOrgId, { metadata } as never)
  await watchword.auth.updateSettings({ subOrgId, token_claims: { plan: 'organization.metadata.plan' } })
  const renewed = await watchword.tokens.refresh({ subOrgId, refresh_token: session.refresh_token })
  if (!renewed.session) throw new Error('no session')
  expect(renewed.session.access_token.length).toBeGreaterThan(3000)
  const cookie = await sessions.start(renewed.session)
  expect(Buffer.byteLength(cookie)).toBeLessThan(4096)
  expect((await sessions.read(requestWith(cookie))).session?.claims.permissions).toEqual(expect.arrayContaining(names))
})

test('an origin that would send the cookie in the open is refused', () => {
  const { verifier } = newSessions()
  const make =
    (origin: string, more: object = {}) =>
    () =>
      new Sessions({ client: watchword, verifier, origin, secret, ...more })
  for (const bad of ['app.example.com', 'http://app.example.com', 'ftp://x.test', ''])
    expect(make(bad)).toThrow(TypeError)
  for (const good of ['http://localhost:3000', 'HTTPS://App.Example.com/', 'http://127.0.0.1:1'])
    expect(make(good)).not.toThrow()
  expect(make('http://app.example.com', { insecure: true })).not.toThrow()
})

test('a cookie of the application is sealed like that of the session, and is not one', async () => {
  const { sessions } = newSessions()
  const { session } = await signIn()
  const attempt = sessions.cookie<{ state: string }>('attempt')
  const set = await attempt.write({ state: 's-1' }, 600)
  expect(set).toMatch(/^__Host-attempt=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/)
  expect(await attempt.read(requestWith(set))).toEqual({ state: 's-1' })
  expect(await sessions.cookie('other').read(requestWith(set.replace('attempt', 'other')))).toBeNull()
  const asSession = requestWith(set.replace('attempt', 'session'))
  expect(await sessions.read(asSession)).toEqual({ session: null, setCookie: null })
  const asAttempt = requestWith((await sessions.start(session)).replace('session', 'attempt'))
  expect(await attempt.read(asAttempt)).toBeNull()
  expect(() => sessions.cookie('session')).toThrow(TypeError)
})

/** Proves again who the user of a session is. */
async function stepUp({ user, claims }: ActiveSession) {
  const { otp_id } = await user.me.stepUp.start({ method: 'otp' })
  return user.me.stepUp.verify({ otp_id, code: await mailedCode(app, claims.email) })
}

async function readSession(sessions: Sessions, cookie: string): Promise<ActiveSession> {
  const { session } = await sessions.read(requestWith(cookie))
  if (!session) throw new Error('No session')
  return session
}

const lifetimeOf = (setCookie: string) => Number(/Max-Age=(\d+)/.exec(setCookie)?.[1])

test('the token of a step-up replaces the old one, and the session stays as long as it was to', async () => {
  const { session: tokens } = await signIn()
  const { sessions, calls } = newSessions()
  const cookie = await sessions.start(tokens)
  await advance(100)
  const before = await readSession(sessions, cookie)
  const updated = await sessions.update(before, await stepUp(before))
  expect(lifetimeOf(updated)).toBeGreaterThan(tokens.refresh_expires_in - 130)
  expect(lifetimeOf(updated)).toBeLessThanOrEqual(tokens.refresh_expires_in - 100)
  const after = await readSession(sessions, updated)
  expect(after.claims.sid).toBe(before.claims.sid)
  expect(after.claims.auth_time).toBeGreaterThan(before.claims.auth_time)
  // It is refreshed with the refresh token that it had.
  await advance(tokens.expires_in + 200)
  expect((await readSession(sessions, updated)).claims.sid).toBe(before.claims.sid)
  expect(calls.filter((path) => path.endsWith('/refresh'))).toHaveLength(1)
})

test('a step-up beside a refresh keeps the new refresh token', async () => {
  const { session: tokens } = await signIn()
  const { sessions, calls } = newSessions()
  const cookie = await sessions.start(tokens)
  const before = await readSession(sessions, cookie)
  const stepped = await stepUp(before)
  await advance(tokens.expires_in - 20)
  await sessions.read(requestWith(cookie))
  const updated = await sessions.update(before, stepped)
  // Longer than the service accepts the old refresh token again.
  await advance(60)
  expect((await readSession(sessions, updated)).claims.sid).toBe(before.claims.sid)
  expect(calls.filter((path) => path.endsWith('/refresh'))).toHaveLength(2)
})

test('a step-up does not undo a sign-out, and takes no token of another session', async () => {
  const [{ session: tokens }, { session: others }] = [await signIn(), await signIn()]
  const { sessions } = newSessions()
  const cookie = await sessions.start(tokens)
  const before = await readSession(sessions, cookie)
  await expect(sessions.update(before, others)).rejects.toMatchObject({ code: 'token_invalid' })
  await expect(newSessions().sessions.update(before, tokens)).rejects.toThrow(TypeError)
  const stepped = await stepUp(before)
  await sessions.end(requestWith(cookie))
  expect(await sessions.update(before, stepped)).toContain('Max-Age=0')
})
