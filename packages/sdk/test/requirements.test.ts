import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify, { type FastifyPluginAsync } from 'fastify'
import { Hono } from 'hono'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { mailedCode } from '../../../test/people/sign-in.ts'
import * as forExpress from '../src/express.ts'
import * as forFastify from '../src/fastify.ts'
import { withSession } from '../src/fetch.ts'
import * as forHono from '../src/hono.ts'
import { Watchword } from '../src/index.ts'
import { nextSessions } from '../src/next.ts'
import { assertAllowed, ForbiddenError, Sessions } from '../src/sessions.ts'
import { TokenVerifier } from '../src/tokens.ts'
import { payloadOf, signedInBySdk } from './signed-in.ts'

// What a route needs of a session: a permission, or that the person has proved recently who they are.

const service = await startApp()
const tenant = await service.tenant()
const watchword = new Watchword({ url: service.baseUrl, apiKey: tenant.key })
let ahead = 0
const now = () => Date.now() + ahead * 1000
async function advance(seconds: number) {
  ahead += seconds
  await service.advance(seconds)
}
const origin = 'http://app.test'
const { session: some } = await signedInBySdk(service, tenant)
const { iss: issuer, aud: audience } = payloadOf(some.access_token)
const jwksUrl = `${service.baseUrl}/.well-known/jwks.json`
const verifier = new TokenVerifier({ issuer, audience, now, jwksUrl })
const secret = 'a secret of at least 32 characters, for tests'
const sessions = new Sessions({ client: watchword, verifier, origin, insecure: true, secret, now })
const pairOf = (setCookie: string) => setCookie.split(';')[0] ?? ''

/** A person who may read notes, and their cookie. */
async function reader() {
  const { subOrgId, user, email, session } = await signedInBySdk(service, tenant)
  const { role } = await watchword.roles.create({ subOrgId, name: 'Reader', permissions: ['notes:read'] } as never)
  await watchword.roles.setForUser(user.id, { subOrgId, roleIds: [role.id] })
  const { setCookie } = await sessions.refresh({ headers: { cookie: pairOf(await sessions.start(session)) } })
  return { email, cookie: pairOf(setCookie ?? '') }
}

/** The paths that were handled. */
const handled: string[] = []
const handle = (path: string) => {
  handled.push(path)
  return { path }
}
type Send = (path: string, cookie?: string) => Promise<Response>

async function listen(handler: RequestListener): Promise<Send> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  afterAll(() => void server.close())
  const { port } = server.address() as AddressInfo
  return (path, cookie = '') => fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } })
}

async function expressApp(): Promise<Send> {
  const { requirePermission, requireRecent, requireSession } = forExpress
  const refused = (_req: unknown, res: express.Response, { status, body }: forExpress.Refusal) =>
    res.status(status).send(`<h1>${body.title}</h1>`)
  const app = express()
  const answer: express.RequestHandler = (req, res) => void res.json(handle(req.path))
  app.get('/unguarded', requirePermission('notes:read'), answer)
  app.use(requireSession(sessions))
  app.get('/read', requirePermission('notes:read'), answer)
  app.get('/write', requirePermission(['notes:read', 'notes:write']), answer)
  app.get('/recent', requireRecent(600), answer)
  app.get('/page', requirePermission('notes:write', { refused }), answer)
  app.get('/thrown', (_req, res) => assertAllowed(forExpress.sessionOf(res), { permission: 'notes:write' }))
  app.use(forExpress.watchwordErrors(sessions))
  app.use(((_error, _req, res, _next) => void res.status(500).end()) satisfies express.ErrorRequestHandler)
  return listen(app)
}

async function fastifyApp(): Promise<Send> {
  const { requirePermission, requireRecent, requireSession, watchwordErrors } = forFastify
  const app = fastify()
  const refused: forFastify.Responses['refused'] = (_request, reply, { status, body }) => {
    reply.code(status)
    return reply.send(`<h1>${body.title}</h1>`)
  }
  const guarded: FastifyPluginAsync = async (scope) => {
    await scope.register(watchwordErrors, { sessions })
    await scope.register(requireSession, { sessions })
    scope.get('/read', { onRequest: requirePermission('notes:read') }, () => handle('/read'))
    scope.get('/write', { onRequest: requirePermission(['notes:read', 'notes:write']) }, () => handle('/write'))
    scope.get('/recent', { onRequest: requireRecent(600) }, () => handle('/recent'))
    scope.get('/page', { onRequest: requirePermission('notes:write', { refused }) }, () => handle('/page'))
    scope.get('/thrown', (request) => assertAllowed(forFastify.sessionOf(request), { permission: 'notes:write' }))
  }
  await app.register(guarded)
  app.get('/unguarded', { onRequest: requirePermission('notes:read') }, () => handle('/unguarded'))
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  afterAll(() => app.close())
  return (path, cookie = '') => fetch(`${base}${path}`, { headers: { cookie } })
}

function honoApp(): Send {
  const { requirePermission, requireRecent, requireSession } = forHono
  const app = new Hono()
  app.onError(forHono.watchwordErrors(sessions, { otherwise: () => new Response(null, { status: 500 }) }))
  app.get('/unguarded', requirePermission('notes:read'), (c) => c.json(handle('/unguarded')))
  app.use(requireSession(sessions))
  app.get('/read', requirePermission('notes:read'), (c) => c.json(handle('/read')))
  app.get('/write', requirePermission(['notes:read', 'notes:write']), (c) => c.json(handle('/write')))
  app.get('/recent', requireRecent(600), (c) => c.json(handle('/recent')))
  const refused: forHono.Responses<forHono.HonoContext>['refused'] = (_c, { status, body }) =>
    new Response(`<h1>${body.title}</h1>`, { status })
  app.get('/page', requirePermission('notes:write', { refused }), (c) => c.json(handle('/page')))
  app.get('/thrown', (c) => {
    assertAllowed(forHono.sessionOf(c), { permission: 'notes:write' })
    return c.json({})
  })
  return async (path, cookie = '') => app.request(`${origin}${path}`, { headers: { cookie } })
}

describe.each([
  ['Express', await expressApp()],
  ['Fastify', await fastifyApp()],
  ['Hono', honoApp()],
])('by %s', (_, send) => {
  test('a permission is needed, and all of a list', async () => {
    const { cookie } = await reader()
    handled.length = 0
    expect((await send('/read', cookie)).status).toBe(200)
    const refused = await send('/write', cookie)
    const detail = 'The user lacks notes:write.'
    const body = { code: 'permission_missing', title: 'Permission missing', detail }
    expect([refused.status, await refused.json()]).toEqual([403, body])
    const thrown = await send('/thrown', cookie)
    expect([thrown.status, await thrown.json()]).toEqual([403, body])
    const page = await send('/page', cookie)
    expect([page.status, await page.text()]).toEqual([403, '<h1>Permission missing</h1>'])
    expect((await send('/read')).status).toBe(401)
    expect(handled).toEqual(['/read'])
  })

  test('without requireSession before it, nothing passes', async () => {
    const { cookie } = await reader()
    handled.length = 0
    expect((await send('/unguarded', cookie)).status).toBe(500)
    expect(handled).toEqual([])
  })

  test('a person who signed in long ago must step up', async () => {
    const { email, cookie } = await reader()
    handled.length = 0
    expect((await send('/recent', cookie)).status).toBe(200)
    await advance(601)
    const old = await send('/recent', cookie)
    expect([old.status, await old.json()]).toMatchObject([403, { code: 'step_up_required', within_seconds: 600 }])
    const { session } = await sessions.read({ headers: { cookie } })
    if (!session) throw new Error('no session')
    const { otp_id } = await session.user.me.stepUp.start({ method: 'otp' })
    const code = await mailedCode(service, email)
    const updated = await sessions.update(session, await session.user.me.stepUp.verify({ otp_id, code }))
    expect((await send('/recent', pairOf(updated))).status).toBe(200)
    expect(handled).toEqual(['/recent', '/recent'])
  })
})

test('by the Fetch standard: a permission and a recent proof are options', async () => {
  const { cookie } = await reader()
  const request = new Request(origin, { headers: { cookie } })
  const respond = () => Response.json({})
  const ask = (options: object) => withSession(request, sessions, respond, options)
  expect((await ask({ permission: 'notes:read', recent: 600 })).status).toBe(200)
  const refused = await ask({ permission: 'notes:write' })
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'permission_missing' }])
  await advance(601)
  expect((await ask({ recent: 600 })).status).toBe(403)
  for (const options of [{ permission: undefined }, { permission: '' }, { recent: undefined }, { recent: 0 }])
    await expect(ask(options)).rejects.toThrow(TypeError)
})

test('by Next.js: pages and actions need a permission', async () => {
  const { cookie } = await reader()
  const auth = nextSessions({
    sessions,
    cookies: async () => ({ getAll: () => [{ name: 'session', value: cookie.slice(8) }], set: () => undefined }),
    headers: async () => new Headers({ origin }),
    signedOut: () => {
      throw new Error('to the sign-in')
    },
  })
  const acted: string[] = []
  const act = async () => void acted.push('act')
  expect((await auth.require({ permission: 'notes:read' })).claims.permissions).toContain('notes:read')
  await expect(auth.require({ permission: 'notes:write' })).rejects.toThrow(ForbiddenError)
  await expect(auth.action(act, { permission: 'notes:write' })()).rejects.toMatchObject({ code: 'permission_missing' })
  await auth.action(act, { permission: ['notes:read'], recent: 600 })()
  await advance(601)
  await expect(auth.action(act, { recent: 600 })()).rejects.toMatchObject({ withinSeconds: 600 })
  expect(acted).toEqual(['act'])
  expect(() => auth.action(act, { permission: '' })).toThrow(TypeError)
})

test('by Next.js: a refresh and a sign-out everywhere set the cookie', async () => {
  const { email, cookie } = await reader()
  const jar = new Map([['session', cookie.slice(8)]])
  const auth = nextSessions({
    sessions,
    cookies: async () => ({
      getAll: () => [...jar].map(([name, value]) => ({ name, value })),
      set: (name, value) => void jar.set(name, value),
    }),
    headers: async () => new Headers({ origin }),
    signedOut: () => {
      throw new Error('to the sign-in')
    },
  })
  expect((await auth.refresh())?.claims.email).toBe(email)
  expect(jar.get('session')).not.toBe(cookie.slice(8))
  expect(await auth.end({ everywhere: true })).toEqual({ error: null })
  expect([jar.get('session'), await auth.refresh()]).toEqual(['', null])
})

test('a support person who acts for a user has the permissions of the user, and is never recent', async () => {
  const { subOrgId, user } = await signedInBySdk(service, tenant)
  await watchword.auth.updateSettings({ subOrgId, impersonation_enabled: true })
  const { session } = await watchword.users.impersonate(user.id, { subOrgId, reason: 'Case 7', actor: 'staff-7' })
  const tokens = { ...session, refresh_token: 'none', refresh_expires_in: 900 }
  const { session: read } = await sessions.read({
    headers: { cookie: pairOf(await sessions.start(tokens as never)) },
  })
  if (!read) throw new Error('no session')
  expect(read.authAge).toBeLessThan(60)
  const [permission] = read.claims.permissions
  expect(() => assertAllowed(read, { permission })).not.toThrow()
  expect(() => assertAllowed(read, { recent: 600 })).toThrow(ForbiddenError)
  // Misspelt, it would let every session pass.
  expect(() => assertAllowed(read, { permissions: 'no:such' } as never)).toThrow('`permissions` is no requirement')
})

test('a requirement that is empty is refused where it is written', () => {
  interface Handlers {
    requirePermission(permission: string): unknown
    requireRecent(seconds: number): unknown
  }
  for (const handlers of [forExpress, forFastify, forHono] as Handlers[]) {
    for (const permission of ['', [], [''], undefined, null] as string[])
      expect(() => handlers.requirePermission(permission)).toThrow(TypeError)
    for (const seconds of [0, -1, Number.NaN, undefined, '600'] as number[])
      expect(() => handlers.requireRecent(seconds)).toThrow(TypeError)
  }
})
