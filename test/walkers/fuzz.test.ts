import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Route } from '../../src/platform/http/route.ts'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { type Sent, send } from '../send.ts'
import { snapshot } from '../snapshot.ts'
import { nameOf, orgWideOnly, sampleOf } from './samples.ts'
import { makeWorld } from './world.ts'

const app = await startApp()
const world = await makeWorld(app, await app.tenant())
const keyed = routes.filter((route) => route.auth === 'key')
const anyRoute = fc.constantFrom(...keyed)

/** Sends a request with the path as it stands. */
function sendRaw({ headers = {}, body, ...request }: Sent) {
  // Without it the body of a DELETE would have no end.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const bodied = body === undefined ? {} : { body }
  return send(app.baseUrl, { ...request, headers: { ...headers, ...length }, ...bodied })
}

function pathOf(route: Route): string {
  const { params = {}, query = {} } = sampleOf(route, world)
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const search = new URLSearchParams(query).toString()
  return search ? `${path}?${search}` : path
}

/** One that gets as far as the handler. */
function keyFor(route: Route): string {
  return orgWideOnly.includes(nameOf(route)) ? world.orgWide.key : world.scoped.key
}

function bodyOf(route: Route): string | undefined {
  return route.body ? JSON.stringify(sampleOf(route, world).body ?? {}) : undefined
}

const mutations: ((path: string) => string)[] = [
  (path) => path,
  (path) => `/${path}`,
  (path) => path.replace('/v1/', '//v1/'),
  (path) => path.replace('/v1/', '/v1//'),
  (path) => path.replace('/v1/', '/v1/./'),
  (path) => path.replace('/v1/', '/v1/../v1/'),
  (path) => path.replace('/v1/', '/v1/%2e%2e/v1/'),
  (path) => path.replace('/v1/', '/%76%31/'),
  (path) => path.replace('/v1/', '/v1%2f'),
  (path) => path.replace('/v1/', '/V1/'),
  (path) => path.toUpperCase(),
  (path) => path.replace('/v1/', '/api/v1/'),
  (path) => path.replace('/v1/', '/healthz/../v1/'),
  (path) => path.replace(/(\?|$)/, '/$1'),
  (path) => path.replace(/(\?|$)/, ';jsessionid=1$1'),
  (path) => path.replace(/(\?|$)/, '.json$1'),
  (path) => path.replace(/(\?|$)/, '%00$1'),
  (path) => path.replace(/(\?|$)/, '%20$1'),
  (path) => path.replace(/(\?|$)/, '#/healthz$1'),
  (path) => `http://localhost${path}`,
  (path) => `${path}%`,
  (path) => path.replaceAll('/', '\\'),
]

const noKey = fc.constantFrom<Record<string, string>>(
  {},
  { 'x-api-key': '' },
  { 'x-api-key': 'undefined' },
  { 'x-api-key': `ww_live_${'0'.repeat(49)}` },
  { authorization: 'Bearer null' },
  { authorization: 'Basic Og==' },
  { 'x-original-url': '/healthz', 'x-rewrite-url': '/healthz' },
  { 'x-http-method-override': 'GET', 'x-forwarded-for': '127.0.0.1' },
)

test('no spelling of a path gets past the key', async () => {
  const before = await snapshot(app)
  const spelled = fc.record({
    route: anyRoute,
    first: fc.constantFrom(...mutations),
    second: fc.constantFrom(...mutations),
    headers: noKey,
  })
  await fc.assert(
    fc.asyncProperty(spelled, async ({ route, first, second, headers }) => {
      const path = second(first(pathOf(route)))
      const body = bodyOf(route)
      const json = body === undefined ? {} : { 'content-type': 'application/json' }
      const reply = await sendRaw({
        method: route.method,
        path,
        headers: { ...json, ...headers },
        ...(body ? { body } : {}),
      })
      expect([400, 401, 404, 405], `${route.method} ${path}: ${reply.text}`).toContain(reply.status)
    }),
    { numRuns: 600 },
  )
  expect(await snapshot(app)).toEqual(before)
})

/** What a fuzzer may not do to the world that it lives in. */
const destructive = new Set([
  'DELETE /v1/organizations/{subOrgId}',
  'PATCH /v1/organizations/{subOrgId}',
  'PUT /v1/organization-apps',
])

/** Whether there is something in the body of a route; that of most DELETEs names the organization at most. */
const takesFields = ({ method, body }: Route) =>
  body !== null && (method !== 'DELETE' || Object.keys(body.properties).some((name) => name !== 'subOrgId'))

const types = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json\t',
  '\tapplication/json',
  'application/json;charset=UTF-8;',
  'application/json; charset=utf-7',
  'application/json; boundary=x',
  'application/jsonp',
  'application/vnd.api+json',
  'text/plain',
  'text/plain; application/json',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  '*/*',
  'a',
  '',
)
const hostile = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ maxLength: 200 }),
  fc.constantFrom(
    '',
    '[]',
    'null',
    '"x"',
    '1e999',
    '{"a":1',
    '{"__proto__":null}',
    '[[[[[[]]]]]]',
    '\uFEFF{}',
    '{"a":"\\u0000"}',
  ),
  fc.constant('['.repeat(50_000)),
)

test('no content type and no text of a body is an error of ours', async () => {
  const bodies = keyed.filter((route) => takesFields(route) && !destructive.has(nameOf(route)))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...bodies), types, hostile, async (route, type, text) => {
      const headers = { 'x-api-key': keyFor(route), 'content-type': type }
      const reply = await sendRaw({ method: route.method, path: pathOf(route), headers, body: text })
      expect(reply.status, `${type} ${text.slice(0, 300)}: ${reply.text}`).toBeLessThan(500)
      if (/^[\t ]*(application\/json)\b/i.test(type) || text === '') return
      expect([type, reply.status]).toEqual([type, 415])
    }),
    { numRuns: 300 },
  )
})

/** Values for the fields that a route really has, as well as for others. */
function bodyFor(route: Route): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.keys(route.body?.properties ?? {}).filter((name) => name !== 'subOrgId')
  const odd = fc.constantFrom<unknown>(
    '',
    ' ',
    '\u0000',
    '\ud800',
    -1,
    0,
    1e308,
    2 ** 53,
    null,
    [],
    {},
    true,
    'a@b',
    "'; --",
    '%00',
  )
  const value = fc.oneof(
    odd,
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ maxLength: 3000 }),
    fc.emailAddress(),
    fc.uuid(),
  )
  const sample = { ...sampleOf(route, world).body }
  return fc
    .dictionary(fc.constantFrom(...(fields.length ? fields : ['none'])), value, { maxKeys: 4 })
    .map((changes) => ({ ...sample, ...changes }))
}

test.each(
  keyed
    .filter((route) => takesFields(route) && !destructive.has(nameOf(route)))
    .map((route) => [nameOf(route), route] as const),
)('%s: no JSON in its fields is an error of ours', async (_, route) => {
  await fc.assert(
    fc.asyncProperty(bodyFor(route), async (body) => {
      const headers = { 'x-api-key': keyFor(route), 'content-type': 'application/json' }
      const reply = await sendRaw({ method: route.method, path: pathOf(route), headers, body: JSON.stringify(body) })
      expect(reply.status, `${JSON.stringify(body).slice(0, 500)}: ${reply.text}`).toBeLessThan(500)
      expect(reply.type).toMatch(/^application\/(problem\+)?json/)
    }),
    { numRuns: 40 },
  )
})

test('no value of a query is an error of ours', async () => {
  const value = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.constantFrom('1&limit=2', '%', '%ff', '%00', '1e999', '-0', 'a'.repeat(5000)),
  )
  await fc.assert(
    fc.asyncProperty(anyRoute, fc.nat(), value, async (route, pick, text) => {
      if (route.method !== 'GET') return
      const names = Object.keys(route.query.properties)
      const [path] = pathOf(route).split('?')
      const query = `${names[pick % names.length]}=${/[%&]/.test(text) ? text.replaceAll(/[^\x21-\x7e]/g, '') : encodeURIComponent(text.toWellFormed())}`
      const reply = await sendRaw({
        method: 'GET',
        path: `${path}?${query}`,
        headers: { 'x-api-key': world.orgWide.key },
      })
      expect(reply.status, `${path}?${query}: ${reply.text}`).toBeLessThan(500)
    }),
    { numRuns: 400 },
  )
})

test('a parameter of any length is no error of ours, with a key or without', async () => {
  for (const headers of [{}, { 'x-api-key': world.orgWide.key }])
    for (const length of [199, 201, 4000])
      for (const path of ['/v1/users/', '/dev/mail/', '/accounts/x/'])
        expect([401, 404]).toContain(
          (await sendRaw({ method: 'GET', path: path + 'a'.repeat(length), headers })).status,
        )
})

test('of a body’s wrong values fifty are told, and of too many that they are', async () => {
  const errorsOf = async (values: string) => {
    const { status, text } = await sendRaw({
      method: 'PATCH',
      path: '/v1/auth/settings',
      headers: { 'x-api-key': world.scoped.key, 'content-type': 'application/json' },
      body: `{"allowed_redirect_uris":[${values}]}`,
    })
    expect(status).toBe(400)
    return JSON.parse(text).errors.map(({ field, code }: { field: string; code: string }) => [field, code])
  }
  const name = 'allowed_redirect_uris'
  expect(await errorsOf('1,2')).toEqual([0, 1].map((n) => [`${name}.${n}`, 'type']))
  const fifty = Array.from({ length: 49 }, (_, n) => [`${name}.${n}`, 'type'])
  expect(await errorsOf(`1${',1'.repeat(5000)}`)).toEqual([[name, 'maxItems'], ...fifty])
  expect(await errorsOf(`1${',1'.repeat(400_000)}`)).toEqual([[`${name}.9998`, 'size']])
})
