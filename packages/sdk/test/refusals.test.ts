import fastify, { type FastifyPluginAsync, type FastifyReply } from 'fastify'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import * as forFastify from '../src/fastify.ts'
import * as forHono from '../src/hono.ts'
import { Watchword } from '../src/index.ts'
import { Sessions } from '../src/sessions.ts'
import { TokenVerifier } from '../src/tokens.ts'
import { payloadOf, signedInBySdk } from './signed-in.ts'

// Applications of Fastify and Hono whose handlers only call Watchword: how they answer what goes wrong.

const service = await startApp()
const tenant = await service.tenant()
const { session: some } = await signedInBySdk(service, tenant)
const { iss: issuer, aud: audience } = payloadOf(some.access_token)
let ahead = 0
const now = () => Date.now() + ahead * 1000
const jwksUrl = `${service.baseUrl}/.well-known/jwks.json`
const verifier = new TokenVerifier({ issuer, audience, jwksUrl, now })
const watchword = new Watchword({ url: service.baseUrl, apiKey: tenant.key })
const origin = 'http://localhost:1'
const secret = 'a secret of at least 32 characters, for tests'
const sessions = new Sessions({ client: watchword, verifier, origin, secret, now })
const weak = new Watchword({ url: service.baseUrl, apiKey: (await tenant.withKey({ scopes: ['users.read'] })).key })
const unreachable = new Watchword({ url: 'http://127.0.0.1:1', apiKey: tenant.key, maxRetries: 0 })
const clients = { weak, unreachable, watchword }

const reported: unknown[] = []
const sent: string[] = []
beforeEach(() => {
  reported.length = 0
  sent.length = 0
})
const report = (error: unknown) => void reported.push(error)

const UNAVAILABLE = { code: 'unavailable', title: 'Temporarily unavailable', detail: 'Please try again.' }

/** Asks for a code, as a person does whose address is no address, or who belongs to nobody's organization. */
async function sendCode({ client, ...wish }: Wish) {
  sent.push(client)
  return clients[client as keyof typeof clients].login.otp.send(wish)
}

interface Wish {
  client: string
  subOrgId: string
  email: string
}

async function fastifyApp() {
  const { requireSameOrigin, requireSession, sessionOf, watchwordErrors } = forFastify
  const app = fastify()
  app.setErrorHandler((_error, _request, reply) => reply.code(500).send('own'))
  const part = (options: forFastify.SessionOptions): FastifyPluginAsync => {
    return async (scope) => {
      await scope.register(requireSameOrigin, options)
      await scope.register(watchwordErrors, options)
      scope.post<{ Body: Wish }>('/send', ({ body }) => sendCode(body))
      scope.get('/own', () => {
        throw new RangeError('of the application')
      })
      const inner: FastifyPluginAsync = async (own) => {
        await own.register(requireSession, options)
        own.get('/me', (request) => sessionOf(request).user.me.get())
      }
      await scope.register(inner)
    }
  }
  await app.register(part({ sessions, report }), { prefix: '/api' })
  const signedOut = (_request: unknown, reply: FastifyReply) => reply.redirect('/login')
  const refused = (_request: unknown, reply: FastifyReply, { status, body }: forFastify.Refusal) =>
    reply.code(status).type('text/html').send(`<h1>${body.code}</h1>`)
  await app.register(part({ sessions, report, signedOut, refused }), { prefix: '/pages' })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  afterAll(() => app.close())
  return (path: string, init?: RequestInit) => fetch(`${base}${path}`, { redirect: 'manual', ...init })
}

function honoApp() {
  const { requireSameOrigin, requireSession, sessionOf, watchwordErrors } = forHono
  const part = (responses: Parameters<typeof watchwordErrors>[1]) => {
    const app = new Hono()
    app.onError(watchwordErrors(sessions, responses))
    app.use(requireSameOrigin(sessions, responses))
    app.post('/send', async (c) => {
      return c.json(await sendCode(await c.req.json()))
    })
    app.get('/own', () => {
      throw new RangeError('of the application')
    })
    app.get('/teapot', () => {
      throw new HTTPException(418)
    })
    app.get('/me', requireSession(sessions, responses), async (c) => c.json(await sessionOf(c).user.me.get()))
    return app
  }
  const app = new Hono()
  const otherwise = () => new Response('own', { status: 500 })
  app.route('/api', part({ report, otherwise }))
  app.route('/plain', part({ report }))
  app.route(
    '/pages',
    part({
      report,
      signedOut: (c) => c.redirect('/login'),
      refused: (_c, { status, body }) => new Response(`<h1>${body.code}</h1>`, { status }),
    }),
  )
  return async (path: string, init?: RequestInit): Promise<Response> => app.request(`${origin}${path}`, init)
}

describe.each([
  ['Fastify', await fastifyApp()],
  ['Hono', honoApp()],
])('%s', (_, ask) => {
  const send = (at: string, wish: Wish, from = origin) => {
    const headers = { origin: from, 'content-type': 'application/json' }
    return ask(`${at}/send`, { method: 'POST', headers, body: JSON.stringify(wish) })
  }

  test('what the person can mend is answered as Watchword did', async () => {
    const wish = { client: 'watchword', subOrgId: await tenant.organization(), email: 'none' }
    const reply = await send('/api', wish)
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { code: 'invalid_request', errors: expect.any(Array) },
    ])
    const page = await send('/pages', wish)
    expect([page.status, await page.text(), reported]).toEqual([400, '<h1>invalid_request</h1>', []])
  })

  test('a person gets what says something to them, and neither the URL of Watchword nor a status in the body', async () => {
    const reply = await send('/api', { client: 'watchword', subOrgId: await tenant.organization(), email: 'none' })
    const body = Object(await reply.json())
    expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'errors', 'request_id', 'title'])
    expect(body.title).toBe('Invalid request')
  })

  test.each([
    ['a field that is misnamed', { emial: 'ada@example.com' }, 'invalid_request'],
    ['a field that is missing', {}, 'invalid_request'],
    ['a field of another type', { email: 7 }, 'invalid_request'],
    ['an organization that is missing', { subOrgId: undefined, email: 'ada@example.com' }, 'sub_org_required'],
  ])('a mistake of the code (%s) is 503, and reported with the method', async (_case, wish, code) => {
    const subOrgId = await tenant.organization()
    const reply = await send('/api', { client: 'watchword', subOrgId, ...wish } as Wish)
    expect([reply.status, await reply.json()]).toEqual([503, UNAVAILABLE])
    expect(reported).toMatchObject([{ code, operation: 'login.otp.send', isInternal: true }])
  })

  test.each(['weak', 'unreachable'])('what is wrong with the backend (%s) is 503, and reported', async (client) => {
    const wish = { client, subOrgId: await tenant.organization(), email: 'ada@example.com' }
    const reply = await send('/api', wish)
    expect([reply.status, await reply.json()]).toEqual([503, UNAVAILABLE])
    expect(await (await send('/pages', wish)).text()).toBe('<h1>unavailable</h1>')
    const expected = client === 'weak' ? { code: 'insufficient_scope' } : { name: 'ConnectionError' }
    expect(reported).toMatchObject([expected, expected])
  })

  test('a change of another site is 403 before its handler runs', async () => {
    const wish = { client: 'watchword', subOrgId: await tenant.organization(), email: 'ada@example.com' }
    const reply = await send('/api', wish, 'http://evil.test')
    expect([reply.status, Object(await reply.json()).code, sent]).toEqual([403, 'cross_site', []])
    expect(await (await send('/pages', wish, 'http://evil.test')).text()).toBe('<h1>cross_site</h1>')
    expect((await send('/api', wish)).status).toBe(200)
  })

  test('a session that has ended while its token lives is forgotten, also if the token was just renewed', async () => {
    for (const isRenewed of [false, true]) {
      const { user, subOrgId, session } = await signedInBySdk(service, tenant)
      const [cookie = ''] = (await sessions.start(session)).split(';')
      expect((await ask('/api/me', { headers: { cookie } })).status).toBe(200)
      if (isRenewed) {
        // Its clock alone has moved, so that it refreshes a token that is not accepted any more.
        ahead += session.expires_in + 10
        await service.advance(session.expires_in + 10)
        await sessions.read({ headers: { cookie } })
      }
      await watchword.users.revokeSessions(user.id, { subOrgId })
      const reply = await ask('/api/me', { headers: { cookie } })
      expect([reply.status, Object(await reply.json()).code]).toEqual([401, 'not_signed_in'])
      expect(reply.headers.getSetCookie().at(-1)).toMatch(/^session=; .*Max-Age=0/)
      const page = await ask('/pages/me', { headers: { cookie } })
      expect([page.status, page.headers.get('location')]).toEqual([302, '/login'])
      expect(page.headers.getSetCookie().at(-1)).toMatch(/^session=; .*Max-Age=0/)
    }
  })

  test('errors of the application go on to its own handler', async () => {
    const reply = await ask('/api/own')
    expect([reply.status, await reply.text(), reported]).toEqual([500, 'own', []])
  })
})

test('Hono: without a handler of its own, other errors are answered as Hono does', async () => {
  const ask = honoApp()
  expect((await ask('/plain/teapot')).status).toBe(418)
  expect(reported).toEqual([])
  const own = await ask('/plain/own')
  expect([own.status, await own.text()]).toEqual([500, 'Internal Server Error'])
  expect(reported).toMatchObject([{ message: 'of the application' }])
})
