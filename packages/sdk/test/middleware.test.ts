import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify, { type FastifyPluginAsync, type FastifyReply } from 'fastify'
import { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import * as forExpress from '../src/express.ts'
import * as forFastify from '../src/fastify.ts'
import { receiveDelivery, withSession } from '../src/fetch.ts'
import * as forHono from '../src/hono.ts'
import { Watchword } from '../src/index.ts'
import { type ActiveSession, Sessions } from '../src/sessions.ts'
import { TokenVerifier } from '../src/tokens.ts'
import { payloadOf, signedInBySdk } from './signed-in.ts'

const service = await startApp()
const tenant = await service.tenant()
const watchword = new Watchword({ url: service.baseUrl, apiKey: tenant.key })
const signIn = () => signedInBySdk(service, tenant)
let ahead = 0
const now = () => Date.now() + ahead * 1000
const origin = 'http://app.test'

const { session: some } = await signIn()
const { iss, aud } = payloadOf(some.access_token)
const verifier = new TokenVerifier({
  issuer: iss,
  audience: aud,
  now,
  jwksUrl: `${service.baseUrl}/.well-known/jwks.json`,
})
const secret = 'a secret of at least 32 characters, for tests'
let unreachable = false
const client = new Watchword({
  url: service.baseUrl,
  apiKey: tenant.key,
  fetch: (...request) => (unreachable ? Promise.reject(new Error('The network is away')) : fetch(...request)),
})
const sessions = new Sessions({ client, verifier, origin, insecure: true, secret, now })
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const received: string[] = []
const take = ({ type }: { type: string }) => {
  if (type === 'broken') throw new Error('The database is away')
  received.push(type)
}

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function broken(): never {
  throw new Error('The database is away')
}

async function expressApp() {
  const { requireSession, sessionOf, webhook } = forExpress
  const app = express()
  app.post('/webhooks', webhook(webhookSecret, take))
  app.post('/raw', express.raw({ type: '*/*' }), webhook(webhookSecret, take))
  app.use('/api', requireSession(sessions))
  app.all('/api/who', (_req, res) => void res.json({ email: sessionOf(res).claims.email }))
  app.get('/api/own', (_req, res) => void res.append('set-cookie', 'own=1').json({}))
  app.get('/api/end', async (req, res) => void res.append('set-cookie', (await sessions.end(req)).setCookie).json({}))
  app.get('/api/broken', broken)
  app.get('/page', requireSession(sessions, { signedOut: (_req, res: express.Response) => res.redirect('/login') }))
  app.use(((_error, _req, res, _next) => void res.status(500).end()) satisfies express.ErrorRequestHandler)
  const base = await listen(app)
  return (path: string, init?: RequestInit) => fetch(`${base}${path}`, { redirect: 'manual', ...init })
}

async function fastifyApp() {
  const { requireSession, sessionOf, webhook } = forFastify
  const app = fastify()
  await app.register(webhook, { path: '/webhooks', secret: webhookSecret, handle: take })
  const apiRoutes: FastifyPluginAsync = async (api) => {
    await api.register(requireSession, { sessions })
    api.all('/api/who', (request) => ({ email: sessionOf(request).claims.email }))
    api.get('/api/own', (_request, reply) => reply.header('set-cookie', 'own=1').send({}))
    api.get('/api/end', async (request, reply) =>
      reply.header('set-cookie', (await sessions.end(request)).setCookie).send({}),
    )
    api.get('/api/broken', broken)
  }
  const pageRoutes: FastifyPluginAsync = async (pages) => {
    const signedOut = (_request: unknown, reply: FastifyReply) => reply.redirect('/login')
    await pages.register(requireSession, { sessions, signedOut })
    pages.get('/page', () => 'Hello')
  }
  await app.register(apiRoutes)
  await app.register(pageRoutes)
  app.get('/open', (request) => ({ email: sessionOf(request).claims.email }))
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  afterAll(() => app.close())
  return (path: string, init?: RequestInit) => fetch(`${base}${path}`, { redirect: 'manual', ...init })
}

function honoApp() {
  const { requireSession, sessionOf, webhook } = forHono
  const app = new Hono()
  app.post('/webhooks', webhook(webhookSecret, take))
  app.use('/api/*', requireSession(sessions))
  app.all('/api/who', (c) => c.json({ email: sessionOf(c).claims.email }))
  app.get('/api/own', () => Response.json({}, { headers: { 'set-cookie': 'own=1' } }))
  app.get('/api/end', async (c) => {
    c.header('set-cookie', (await sessions.end(c.req.raw)).setCookie, { append: true })
    return c.json({})
  })
  app.get('/api/broken', broken)
  app.get('/page', requireSession(sessions, { signedOut: (c) => c.redirect('/login') }))
  app.get('/open', (c) => c.json({ email: sessionOf(c).claims.email }))
  app.onError((_error, c) => c.text('', 500))
  return async (path: string, init?: RequestInit): Promise<Response> => app.request(`${origin}${path}`, init)
}

function fetchApp() {
  return async (path: string, init?: RequestInit): Promise<Response> => {
    const request = new Request(`${origin}${path}`, init)
    try {
      if (path === '/webhooks') return await receiveDelivery(request, webhookSecret, take)
      const signedOut = () => Response.redirect(`${origin}/login`, 302)
      const respond = async ({ claims: { email } }: ActiveSession) => {
        const headers = new Headers(path === '/api/own' ? { 'set-cookie': 'own=1' } : {})
        if (path === '/api/end') headers.append('set-cookie', (await sessions.end(request)).setCookie)
        return path === '/api/broken' ? broken() : Response.json({ email }, { headers })
      }
      const failed = () => new Response(null, { status: 500 })
      return await withSession(request, sessions, respond, { failed, ...(path === '/page' ? { signedOut } : {}) })
    } catch {
      return new Response(null, { status: 500 })
    }
  }
}

function delivery(body: string, by = webhookSecret): RequestInit {
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, body),
  }
  return { method: 'POST', headers, body }
}

describe.each([
  ['Express', await expressApp()],
  ['Fastify', await fastifyApp()],
  ['Hono', honoApp()],
  ['the Fetch standard', fetchApp()],
])('by %s', (_, send) => {
  test('a request with a session passes, and one without is told to sign in', async () => {
    const { email, session } = await signIn()
    const [cookie = ''] = (await sessions.start(session)).split(';')
    const reply = await send('/api/who', { headers: { cookie } })
    expect([reply.status, await reply.json()]).toEqual([200, { email }])
    const without = await send('/api/who')
    const body = { code: 'not_signed_in', title: 'Not signed in', detail: 'Sign in first.' }
    expect([without.status, await without.json()]).toEqual([401, body])
    const page = await send('/page')
    expect([page.status, page.headers.get('location')?.endsWith('/login')]).toEqual([302, true])
  })

  test('an expired token is refreshed, and the browser gets the new cookie', async () => {
    const { email, session } = await signIn()
    const [cookie = ''] = (await sessions.start(session)).split(';')
    ahead += session.expires_in + 10
    await service.advance(session.expires_in + 10)
    const reply = await send('/api/who', { headers: { cookie } })
    expect([reply.status, await reply.json()]).toEqual([200, { email }])
    const [renewed = ''] = reply.headers.getSetCookie()[0]?.split(';') ?? []
    expect(renewed).toMatch(/^session=/)
    expect(renewed).not.toBe(cookie)
    expect((await send('/api/who', { headers: { cookie: renewed } })).headers.getSetCookie()).toEqual([])
  })

  test('a renewed session reaches the browser beside other cookies, and when the handler fails', async () => {
    for (const [path, status, others] of [
      ['/api/own', 200, ['own=1']],
      ['/api/broken', 500, []],
    ] as const) {
      const { session } = await signIn()
      const [cookie = ''] = (await sessions.start(session)).split(';')
      ahead += session.expires_in + 10
      await service.advance(session.expires_in + 10)
      const reply = await send(path, { headers: { cookie } })
      const renewed = expect.stringMatching(/^session=[\w.-]{100}/)
      expect([reply.status, reply.headers.getSetCookie().sort()]).toEqual([status, [...others, renewed]])
      expect(reply.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('a sign-out stays the last word of a request that refreshed the session', async () => {
    const { session } = await signIn()
    const [cookie = ''] = (await sessions.start(session)).split(';')
    ahead += session.expires_in + 10
    await service.advance(session.expires_in + 10)
    const reply = await send('/api/end', { headers: { cookie } })
    expect(reply.status).toBe(200)
    expect(reply.headers.getSetCookie().at(-1)).toMatch(/^session=; .*Max-Age=0/)
  })

  test('after the end of the session, the browser is signed out', async () => {
    const { subOrgId, user, session } = await signIn()
    const [cookie = ''] = (await sessions.start(session)).split(';')
    await watchword.users.revokeSessions(user.id, { subOrgId })
    ahead += session.expires_in + 10
    await service.advance(session.expires_in + 10)
    for (const [path, status] of [
      ['/api/who', 401],
      ['/page', 302],
    ] as const) {
      const reply = await send(path, { headers: { cookie } })
      expect([reply.status, reply.headers.getSetCookie()]).toEqual([
        status,
        [expect.stringMatching(/^session=; .*Max-Age=0/)],
      ])
    }
  })

  test('a change must come from a page of the application', async () => {
    const { session } = await signIn()
    const [cookie = ''] = (await sessions.start(session)).split(';')
    const post = (headers: Record<string, string>) =>
      send('/api/who', { method: 'POST', headers: { cookie, ...headers } })
    expect((await post({ origin })).status).toBe(200)
    const forged = await post({ origin: 'http://evil.test' })
    expect([forged.status, await forged.json()]).toMatchObject([403, { code: 'cross_site' }])
    expect((await post({})).status).toBe(403)
  })

  test('a genuine delivery is handed on once, others are refused, and a failure is a 500', async () => {
    received.length = 0
    const body = '{"type":"user.created","data":{"displayName":"Zoë 🦅"}}'
    expect((await send('/webhooks', delivery(body))).status).toBe(204)
    expect(received).toEqual(['user.created'])
    const other = await send('/webhooks', delivery(body, `whsec_${Buffer.alloc(32, 8).toString('base64')}`))
    expect([other.status, await other.json()]).toMatchObject([400, { code: 'signature_invalid' }])
    expect((await send('/webhooks', delivery('{"type":"broken"}'))).status).toBe(500)
    const large = await send('/webhooks', delivery(JSON.stringify({ type: 'large', data: 'x'.repeat(1024 * 1024) })))
    expect(large.status).toBe(413)
    expect(received).toEqual(['user.created'])
  })
})

test('Express: behind a raw parser a delivery is read', async () => {
  const send = await expressApp()
  expect((await send('/raw', delivery('{"type":"user.created"}'))).status).toBe(204)
  expect((await send('/webhooks', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413)
})

test('Fastify and Hono: a route without requireSession has no session', async () => {
  const { session } = await signIn()
  const [cookie = ''] = (await sessions.start(session)).split(';')
  for (const send of [await fastifyApp(), honoApp()])
    expect((await send('/open', { headers: { cookie } })).status).toBe(500)
})

test('Fastify: no handler runs for a request without a session, also where a hook delays the answer', async () => {
  const { requireSession } = forFastify
  const app = fastify()
  let handled = 0
  app.addHook('onSend', async (_request, _reply, payload) => {
    await new Promise(setImmediate)
    return payload
  })
  await app.register(requireSession, { sessions })
  app.get('/', () => `${++handled}`)
  afterAll(() => app.close())
  expect((await app.inject('/')).statusCode).toBe(401)
  expect(handled).toBe(0)
})

test('Fastify: too large a delivery is refused, and other routes still parse JSON', async () => {
  const { webhook } = forFastify
  const app = fastify()
  await app.register(webhook, { path: '/webhooks', secret: webhookSecret, handle: take })
  app.post('/json', (request) => request.body)
  afterAll(() => app.close())
  const large = await app.inject({ method: 'POST', url: '/webhooks', payload: 'x'.repeat(1024 * 1024 + 1) })
  expect(large.statusCode).toBe(413)
  const parsed = await app.inject({ method: 'POST', url: '/json', payload: { a: 1 } })
  expect(parsed.json()).toEqual({ a: 1 })
})

test.each([
  ['Express', expressApp],
  ['Fastify', fastifyApp],
  ['Hono', honoApp],
])(
  '%s: while Watchword is unreachable, requests with an expired token get 503, and keep the cookie',
  async (_, make) => {
    const { session } = await signIn()
    const [cookie = ''] = (await sessions.start(session)).split(';')
    ahead += session.expires_in + 10
    await service.advance(session.expires_in + 10)
    unreachable = true
    try {
      const reply = await (await make())('/api/who', { headers: { cookie } })
      expect([reply.status, await reply.json(), reply.headers.getSetCookie()]).toMatchObject([
        503,
        { code: 'session_unavailable' },
        [],
      ])
    } finally {
      unreachable = false
    }
  },
)
