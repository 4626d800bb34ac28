import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { Watchword } from '../src/index.ts'
import { type NextCookies, nextSessions } from '../src/next.ts'
import { CrossSiteError, SealedCookie, Sessions } from '../src/sessions.ts'
import { TokenVerifier } from '../src/tokens.ts'
import { payloadOf, signedInBySdk } from './signed-in.ts'

// The functions of Next.js are replaced here, since Next.js is large. `npm run examples` tests the same with Next.js.

const service = await startApp()
const tenant = await service.tenant()
const signIn = () => signedInBySdk(service, tenant)
let ahead = 0
const now = () => Date.now() + ahead * 1000
const origin = 'https://app.example.com'
const secret = 'a secret of at least 32 characters, for tests'

const { session: some } = await signIn()
const { iss, aud } = payloadOf(some.access_token)
const jwksUrl = `${service.baseUrl}/.well-known/jwks.json`
const verifier = new TokenVerifier({ issuer: iss, audience: aud, now, jwksUrl })
let unreachable = false
const refreshes: unknown[] = []
const client = new Watchword({
  url: service.baseUrl,
  apiKey: tenant.key,
  async fetch(url, init) {
    if (unreachable) throw new Error('The network is away')
    if (String(url).endsWith('/refresh')) refreshes.push(new Headers(init?.headers).get('x-end-user-ip'))
    return fetch(url, init)
  },
})
const sessions = new Sessions({ client, verifier, origin, secret, now })

async function expire(seconds: number) {
  ahead += seconds
  await service.advance(seconds)
}

/** A request as pages and actions see it, with the cookies that they set. */
function nextRequest(cookie: string, more: Record<string, string> = {}, make?: () => Promise<Sessions>) {
  const jar = new Map(
    cookie
      .split('; ')
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
  )
  const set: unknown[] = []
  const cookies: NextCookies = {
    getAll: () => [...jar].map(([name, value]) => ({ name, value })),
    set(name, value, options) {
      set.push({ name, ...options })
      jar.set(name, value)
    },
  }
  const auth = nextSessions({
    sessions: make ?? sessions,
    cookies: async () => cookies,
    headers: async () => new Headers({ cookie, 'user-agent': 'Firefox/140', ...more }),
    signedOut() {
      throw new Error('to the sign-in')
    },
    ip: (headers) => headers.get('x-real-ip'),
  })
  return { auth, set, jar }
}

/** What the proxy has answered, and the cookies of the request that it has passed on. */
async function throughProxy(cookie: string, init: RequestInit = {}) {
  const headers = new Headers(init.headers)
  headers.set('cookie', cookie)
  headers.set('x-real-ip', '203.0.113.9')
  const passed: (string | null)[] = []
  const next = {
    next({ request }: { request: { headers: Headers } }) {
      passed.push(request.headers.get('cookie'))
      return new Response(null, { headers: { 'set-cookie': 'theme=dark' } })
    },
  }
  const { auth } = nextRequest(cookie)
  const response = await auth.proxy(new Request(`${origin}/members`, { ...init, headers }), next)
  return { response, passed }
}

const pairOf = (setCookie: string) => setCookie.split(';')[0] ?? ''

test('the proxy renews an expired session for the browser and for the page', async () => {
  const { email, session } = await signIn()
  const cookie = pairOf(await sessions.start(session))
  const early = await throughProxy(`a=1; ${cookie}; b=2`)
  expect([early.passed, early.response.headers.getSetCookie()]).toEqual([[`a=1; ${cookie}; b=2`], ['theme=dark']])
  await expire(session.expires_in + 10)
  refreshes.length = 0
  const { response, passed } = await throughProxy(`a=1; ${cookie}; b=2`)
  const [, renewed = ''] = response.headers.getSetCookie()
  expect(passed).toEqual([`a=1; b=2; ${pairOf(renewed)}`])
  expect(pairOf(renewed)).not.toBe(cookie)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const page = await nextRequest(passed[0] ?? '').auth.read()
  expect(page?.claims.email).toBe(email)
  // One refresh, for the person.
  expect(refreshes).toEqual(['203.0.113.9'])
})

test('the proxy signs the browser out of a session that has ended, and the page sees none', async () => {
  const { subOrgId, user, session } = await signIn()
  const cookie = pairOf(await sessions.start(session))
  await client.users.revokeSessions(user.id, { subOrgId })
  await expire(session.expires_in + 10)
  const { response, passed } = await throughProxy(`a=1; ${cookie}`)
  expect(passed).toEqual(['a=1'])
  expect(response.headers.getSetCookie()[1]).toMatch(/^__Host-session=; .*Max-Age=0/)
  const { auth } = nextRequest(passed[0] ?? '')
  expect(await auth.read()).toBeNull()
  await expect(auth.require()).rejects.toThrow('to the sign-in')
})

test('the proxy refuses a change from another site, and says while Watchword is unreachable that it is', async () => {
  const { session } = await signIn()
  const cookie = pairOf(await sessions.start(session))
  const forged = await throughProxy(cookie, { method: 'POST', headers: { origin: 'https://evil.test' } })
  expect([forged.response.status, forged.passed]).toEqual([403, []])
  const own = await throughProxy(cookie, { method: 'POST', headers: { origin } })
  expect([own.response.status, own.passed]).toEqual([200, [cookie]])
  await expire(session.expires_in + 10)
  unreachable = true
  const away = await throughProxy(cookie).finally(() => {
    unreachable = false
  })
  expect([away.response.status, away.response.headers.getSetCookie(), away.passed]).toEqual([503, [], []])
})

test('the proxy answers what it refuses with a page of the application', async () => {
  const auth = nextSessions({
    sessions,
    cookies: async () => ({ getAll: () => [], set: () => undefined }),
    headers: async () => new Headers(),
    signedOut: () => {
      throw new Error('to the sign-in')
    },
    refused: (request, { status, body }) => new Response(`${request.method} ${body.code}`, { status }),
  })
  const request = new Request(origin, { method: 'POST', headers: { origin: 'https://evil.test' } })
  const response = await auth.proxy(request, { next: () => new Response() })
  expect([response.status, await response.text()]).toEqual([403, 'POST cross_site'])
  const cookie = (await auth.sessions()).cookie<string>('attempt')
  expect(await cookie.read({ headers: { cookie: pairOf(await cookie.write('begun', 60)) } })).toBe('begun')
})

test('a page never refreshes, and says that the proxy is missing', async () => {
  const { session } = await signIn()
  const cookie = pairOf(await sessions.start(session))
  await expire(session.expires_in + 10)
  refreshes.length = 0
  const { auth, set } = nextRequest(cookie)
  await expect(auth.read()).rejects.toThrow('The access token has expired')
  expect([refreshes, set]).toEqual([[], []])
})

test('an action signs in and out, and sees at once what it has done', async () => {
  const { email, session } = await signIn()
  const { auth, set, jar } = nextRequest('a=1')
  expect(await auth.read()).toBeNull()
  await auth.start(session)
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: true }
  expect(set).toEqual([{ name: '__Host-session', maxAge: session.refresh_expires_in, ...options }])
  expect((await auth.require()).claims.email).toBe(email)
  const pending = new SealedCookie<{ step: number }>({ name: 'pending', secret, secure: true, now })
  await auth.setCookie(await pending.write({ step: 2 }, 600))
  expect(await pending.read(await auth.request())).toEqual({ step: 2 })
  expect(await auth.end()).toEqual({ error: null })
  expect(set.at(-1)).toEqual({ name: '__Host-session', maxAge: 0, ...options })
  expect([await auth.read(), jar.get('a')]).toEqual([null, '1'])
  const { active } = await client.tokens.introspect({ token: session.access_token })
  expect(active).toBe(false)
})

test('an action needs a session, and a page of the application', async () => {
  const { email, session } = await signIn()
  const cookie = pairOf(await sessions.start(session))
  const acted: string[] = []
  const rename = (headers: Record<string, string>, sent = cookie) =>
    nextRequest(sent, headers).auth.action(async ({ claims }, name: string) => {
      acted.push(claims.email)
      return name
    })
  expect(await rename({ origin })('Zoë')).toBe('Zoë')
  for (const headers of [{}, { origin: 'https://evil.test' }, { origin: 'null' }] as Record<string, string>[])
    await expect(rename(headers)('Zoë')).rejects.toThrow(CrossSiteError)
  await expect(rename({ origin }, '')('Zoë')).rejects.toThrow('to the sign-in')
  expect(acted).toEqual([email])
})

test('sessions are made at the first request, and again if that fails', async () => {
  let made = 0
  const { auth } = nextRequest('', {}, async () => {
    if (++made === 1) throw new Error('No secret')
    return sessions
  })
  expect(made).toBe(0)
  await expect(auth.read()).rejects.toThrow('No secret')
  expect([await auth.read(), await auth.read(), made]).toEqual([null, null, 2])
})
