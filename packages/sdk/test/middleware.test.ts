import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { requireSession, sessionOf, webhook } from '../src/express.ts'
import { receiveDelivery, withSession } from '../src/fetch.ts'
import { Watchword } from '../src/index.ts'
import { Sessions } from '../src/sessions.ts'
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
const sessions = new Sessions({ client: watchword, verifier, origin, insecure: true, secret, now })
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

async function expressApp() {
  const app = express()
  app.post('/webhooks', webhook(webhookSecret, take))
  app.post('/parsed', express.json(), webhook(webhookSecret, take))
  app.post('/raw', express.raw({ type: '*/*' }), webhook(webhookSecret, take))
  app.use('/api', requireSession(sessions))
  app.all('/api/who', (_req, res) => void res.json({ email: sessionOf(res).claims.email }))
  app.get('/page', requireSession(sessions, { signedOut: (_req, res: express.Response) => res.redirect('/login') }))
  app.use(((_error, _req, res, _next) => void res.status(500).end()) satisfies express.ErrorRequestHandler)
  const base = await listen(app)
  return (path: string, init?: RequestInit) => fetch(`${base}${path}`, { redirect: 'manual', ...init })
}

function fetchApp() {
  return async (path: string, init?: RequestInit): Promise<Response> => {
    const request = new Request(`${origin}${path}`, init)
    try {
      if (path === '/webhooks') return await receiveDelivery(request, webhookSecret, take)
      const signedOut = () => Response.redirect(`${origin}/login`, 302)
      return await withSession(
        request,
        sessions,
        ({ claims }) => Response.json({ email: claims.email }),
        path === '/page' ? { signedOut } : {},
      )
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
  ['the Fetch standard', fetchApp()],
])('by %s', (_, send) => {
  test('a request with a session passes, and one without is told to sign in', async () => {
    const { email, session } = await signIn()
    const [cookie = ''] = (await sessions.start(session)).split(';')
    const reply = await send('/api/who', { headers: { cookie } })
    expect([reply.status, await reply.json()]).toEqual([200, { email }])
    const without = await send('/api/who')
    expect([without.status, await without.json()]).toEqual([401, { code: 'not_signed_in', detail: 'Sign in first.' }])
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
    expect(received).toEqual(['user.created'])
  })
})

test('Express: behind a parser of JSON a delivery is refused with a sentence, behind a raw parser it is read', async () => {
  const send = await expressApp()
  const parsed = await send('/parsed', delivery('{"type":"user.created"}'))
  expect([parsed.status, await parsed.json()]).toMatchObject([400, { code: 'body_not_raw' }])
  expect((await send('/raw', delivery('{"type":"user.created"}'))).status).toBe(204)
  expect((await send('/webhooks', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413)
})
