import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { type Refusal, requireSameOrigin, requireSession, sessionOf, watchwordErrors } from '../src/express.ts'
import { Watchword } from '../src/index.ts'
import { Sessions, SessionUnavailableError } from '../src/sessions.ts'
import { TokenVerifier } from '../src/tokens.ts'
import { payloadOf, signedInBySdk } from './signed-in.ts'

// An application of Express whose handlers only call Watchword: how it answers what goes wrong.

const service = await startApp()
const tenant = await service.tenant()
const watchword = new Watchword({ url: service.baseUrl, apiKey: tenant.key })
const origin = 'http://localhost:1'
const secret = 'a secret of at least 32 characters, for tests'
const { session: some } = await signedInBySdk(service, tenant)
const { iss: issuer, aud: audience } = payloadOf(some.access_token)
const verifier = new TokenVerifier({ issuer, audience, jwksUrl: `${service.baseUrl}/.well-known/jwks.json` })
const sessions = new Sessions({ client: watchword, verifier, origin, secret })

const noKeys = new TokenVerifier({ issuer, audience, jwksUrl: 'http://127.0.0.1:1/jwks' })
const withoutKeys = new Sessions({ client: watchword, verifier: noKeys, origin, secret })

const weak = new Watchword({ url: service.baseUrl, apiKey: (await tenant.withKey({ scopes: ['users.read'] })).key })
const unreachable = new Watchword({ url: 'http://127.0.0.1:1', apiKey: tenant.key, maxRetries: 0 })
const clients = { weak, unreachable, watchword }

const reported: unknown[] = []
const report = (error: unknown) => void reported.push(error)
beforeEach(() => {
  reported.length = 0
})
const asJson = { report }
const asPages = {
  report,
  signedOut: (_req: Request, res: Response) => res.redirect('/login'),
  refused: (_req: Request, res: Response, { status, body }: Refusal) =>
    res.status(status).type('html').send(`<h1>${body.code}</h1>`),
}

const app = express()
for (const [at, responses] of Object.entries({ '/api': asJson, '/pages': asPages })) {
  const router = express.Router()
  router.use(requireSameOrigin(sessions, responses))
  router.post('/send/:client', async (req, res) => {
    const client = clients[req.params.client as keyof typeof clients]
    res.json(await client.forRequest(req).login.otp.send(JSON.parse(req.get('x-body') ?? '')))
  })
  router.get('/me', requireSession(sessions, responses), async (_req, res) =>
    res.json(await sessionOf(res).user.me.get()),
  )
  router.get('/late', async (_req, res) => {
    res.write('begun')
    await weak.users.get('none')
  })
  router.get('/own', () => {
    throw new RangeError('of the application')
  })
  router.get('/start', async (_req, res) => res.append('set-cookie', await withoutKeys.start(some)).json({}))
  router.get('/unavailable', () => {
    throw new SessionUnavailableError(new Error('away'), 'session=renewed')
  })
  router.use(watchwordErrors(sessions, responses))
  app.use(at, router)
}
const passedOn: unknown[] = []
app.use(((error, _req, res, _next) => {
  passedOn.push(error)
  if (res.headersSent) res.destroy()
  else res.status(500).end('own')
}) satisfies express.ErrorRequestHandler)
const server = createServer(app)
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve)
})
afterAll(() => void server.closeAllConnections())
afterAll(() => void server.close())

async function ask(path: string, init: RequestInit = {}) {
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const reply = await fetch(`${base}${path}`, { redirect: 'manual', ...init })
  const text = await reply.text()
  return { status: reply.status, text, body: text.startsWith('{') ? JSON.parse(text) : null, headers: reply.headers }
}
const send = (at: string, client: keyof typeof clients, body: object, from = origin) =>
  ask(`${at}/send/${client}`, { method: 'POST', headers: { origin: from, 'x-body': JSON.stringify(body) } })

test('what the person can mend is answered as Watchword did', async () => {
  const { status, body } = await send('/api', 'watchword', { subOrgId: await tenant.organization(), email: 'none' })
  expect([status, body]).toMatchObject([400, { code: 'invalid_request', errors: expect.any(Array) }])
  const page = await send('/pages', 'watchword', { subOrgId: await tenant.organization(), email: 'none' })
  expect([page.status, page.text]).toEqual([400, '<h1>invalid_request</h1>'])
  expect(reported).toEqual([])
})

test.each(['weak', 'unreachable'] as const)(
  'what is wrong with the backend (%s) is 503, and reported',
  async (client) => {
    const subOrgId = await tenant.organization()
    const { status, body } = await send('/api', client, { subOrgId, email: 'ada@example.com' })
    expect([status, body]).toEqual([
      503,
      { code: 'unavailable', title: 'Temporarily unavailable', detail: 'Please try again.' },
    ])
    expect((await send('/pages', client, { subOrgId, email: 'ada@example.com' })).text).toBe('<h1>unavailable</h1>')
    const expected = client === 'weak' ? { code: 'insufficient_scope', isInternal: true } : { name: 'ConnectionError' }
    expect(reported).toMatchObject(Array(2).fill(expected))
    expect(reported).toHaveLength(2)
  },
)

test('mistakes of the code are 503 and reported: a field that is misnamed, and a key of another request', async () => {
  const body = { subOrgId: await tenant.organization(), emial: 'ada@example.com' }
  expect(await send('/api', 'watchword', body)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(reported).toMatchObject([{ code: 'invalid_request', operation: 'login.otp.send' }])
  const { subOrgId } = body
  const options = { idempotencyKey: `key-${subOrgId}` }
  await watchword.users.create({ subOrgId, email: 'a@b.test' }, options)
  const reused = watchword.users.create({ subOrgId, email: 'c@b.test' }, options)
  await expect(reused).rejects.toMatchObject({ code: 'idempotency_key_reused', isInternal: true })
})

test('a password that the person has left out is no mistake of the code', async () => {
  const { session } = await signedInBySdk(service, tenant)
  const me = watchword.forUser(session.access_token).me
  await me.password.update({ new_password: 'correct horse battery staple 1' })
  const error: unknown = await me.password
    .update({ new_password: 'correct horse battery staple 2' })
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'invalid_request', isInternal: false })
})

test('a key that is limited to one organization, and asked about another, is no fault of the person', async () => {
  const [own, other] = [await tenant.organization(), await tenant.organization()]
  const { key } = await tenant.withKey({ scopes: ['auth.login'], subOrgId: own })
  Object.assign(clients, { weak: new Watchword({ url: service.baseUrl, apiKey: key }) })
  const { status, body } = await send('/api', 'weak', { subOrgId: other, email: 'ada@example.com' })
  Object.assign(clients, { weak })
  expect([status, body.code]).toEqual([503, 'unavailable'])
  expect(reported).toMatchObject([{ code: 'sub_org_mismatch', isInternal: true }])
})

test('a change of another site is 403 before its handler runs', async () => {
  const body = { subOrgId: await tenant.organization(), email: 'ada@example.com' }
  const sent = () => service.logLines.filter((line) => line.includes('/otp/send')).length
  const before = sent()
  const forged = await send('/api', 'watchword', body, 'http://evil.test')
  expect([forged.status, forged.body.code]).toEqual([403, 'cross_site'])
  const page = await send('/pages', 'watchword', body, 'http://evil.test')
  expect([page.status, page.text]).toEqual([403, '<h1>cross_site</h1>'])
  expect(sent()).toBe(before)
  expect((await send('/api', 'watchword', body)).status).toBe(200)
})

test('a session that has ended while its token lives signs the browser out', async () => {
  const { subOrgId, user, session } = await signedInBySdk(service, tenant)
  const [cookie = ''] = (await sessions.start(session)).split(';')
  expect((await ask('/api/me', { headers: { cookie } })).status).toBe(200)
  await watchword.users.revokeSessions(user.id, { subOrgId })
  const reply = await ask('/api/me', { headers: { cookie } })
  expect([reply.status, reply.body.code]).toEqual([401, 'not_signed_in'])
  expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(/^session=; .*Max-Age=0/)])
  const page = await ask('/pages/me', { headers: { cookie } })
  expect([page.status, page.headers.get('location')]).toEqual([302, '/login'])
  expect(page.headers.getSetCookie()).toEqual([expect.stringMatching(/^session=; .*Max-Age=0/)])
  expect(reported).toEqual([])
})

test('a sign-in whose token cannot be checked is 503', async () => {
  const { status, body, headers } = await ask('/api/start')
  expect([status, body.code, headers.getSetCookie()]).toEqual([503, 'unavailable', []])
  expect(reported).toMatchObject([{ code: 'keys_unavailable' }])
})

test('renewed tokens reach the browser with a 503', async () => {
  const { status, headers } = await ask('/api/unavailable')
  expect([status, headers.getSetCookie(), headers.get('cache-control')]).toEqual([503, ['session=renewed'], 'no-store'])
  expect(reported).toMatchObject([{ code: 'session_unavailable' }])
})

test('errors of the application, and those after the response has begun, go on to the next handler', async () => {
  passedOn.length = 0
  expect(await ask('/api/own')).toMatchObject({ status: 500, text: 'own' })
  await expect(ask('/api/late')).rejects.toThrow()
  expect(passedOn).toMatchObject([{ message: 'of the application' }, { code: 'user_not_found', isInternal: false }])
})
