import { connect } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { makeToken } from '../../src/features/provisioning/scim/token.ts'
import { startApp, type TestApp } from '../harness.ts'
import { provisioned, SCIM } from '../people/scim.ts'
import { signedInUser } from '../people/sign-in.ts'
import { recordStatements } from '../rules/sql-recorder.ts'

const env = { WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '2' }
const BURST = 20
const closed = await startApp({ env })
const behindProxy = await startApp({ env: { ...env, WATCHWORD_TRUST_PROXY: '127.0.0.1' } })

// A limit is of a time, in which the tests take as long as they take.
// Shared process: stops the clock of the process. `afterAll` restores it.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

interface Answer {
  status: number
  type: string | null
  retryAfter: string | null
  text: string
}

async function ask(app: TestApp, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const response = await fetch(app.baseUrl + path, { method, headers, redirect: 'manual' })
  const { status, headers: sent } = response
  return { status, type: sent.get('content-type'), retryAfter: sent.get('retry-after'), text: await response.text() }
}

/** So many requests at once; returns the statuses by count. */
async function askMany(count: number, one: (n: number) => Promise<Answer>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => one(n)))
  const groups = Map.groupBy(answers, ({ status }) => status)
  return Object.fromEntries([...groups].map(([status, all]) => [status, all.length]))
}

const newNetwork = (() => {
  let count = 0
  return () => `198.51.100.${++count}`
})()
const from = (ip: string) => ({ 'x-forwarded-for': ip })

// A refusal comes a second late: what does not depend on one another is asked at once.
const PAGES: [string, number][] = [
  ['/auth/link?token_hash=x', 400],
  ['/docs', 200],
  ['/docs/errors', 200],
  ['/v1/openapi.json', 200],
  ['/.well-known/jwks.json', 200],
  ['/version', 200],
  ['/nowhere', 404],
  ['/', 302],
]

/** What each of the pages answers to one network of its own. */
async function askEach<T>(one: (path: string, headers: Record<string, string>) => Promise<T>) {
  const networks = PAGES.map(() => from(newNetwork()))
  const again = (ask: typeof one) =>
    Promise.all(PAGES.map(async ([path], n) => [path, await ask(path, networks[n] ?? {})]))
  return { answers: await again(one), again }
}

test('every page has a limit for each network', async () => {
  const expected = (of: (status: number) => object) => PAGES.map(([path, status]) => [path, of(status)])
  const many = (count: number) => (path: string, headers: Record<string, string>) =>
    askMany(count, () => ask(behindProxy, path, headers))
  // What is loaded on first use is there then.
  expect((await askEach(many(1))).answers).toEqual(expected((status) => ({ [status]: 1 })))
  const { answers, again } = await askEach(many(BURST + 5))
  expect(answers).toEqual(expected((status) => ({ [status]: BURST, 429: 5 })))
  expect((await askEach(many(5))).answers).toEqual(expected((status) => ({ [status]: 5 })))
  await behindProxy.advance(1)
  expect(await again(many(5))).toEqual(expected((status) => ({ [status]: 2, 429: 3 })))
})

test('the refusal says when to come back, in the form of the route', async () => {
  const headers = from(newNetwork())
  await askMany(BURST, () => ask(behindProxy, '/version', headers))
  const page = await ask(behindProxy, '/auth/link?token_hash=x', headers)
  expect([page.status, page.type, page.retryAfter]).toEqual([429, 'text/html; charset=utf-8', '1'])
  expect(page.text).toContain('Too many requests from this network: try again in 1 s.')
  const form = await ask(behindProxy, '/auth/link', headers, 'POST')
  expect([form.status, form.type]).toEqual([429, 'text/html; charset=utf-8'])
  const json = await ask(behindProxy, '/v1/openapi.json', headers)
  expect([json.status, json.type, json.retryAfter]).toEqual([429, 'application/problem+json', '1'])
  expect(JSON.parse(json.text)).toMatchObject({ code: 'rate_limited', retry_after: 1 })
  expect((await ask(behindProxy, '/v1/users', headers, 'OPTIONS')).status).toBe(429)
  for (const probe of ['/healthz', '/livez'])
    expect(await askMany(2 * BURST, () => ask(behindProxy, probe, headers))).toEqual({ 200: 2 * BURST })
})

test('the addresses of an IPv6 /64 share a limit', async () => {
  const address = (n: number) => from(`2001:db8:5:5::${(n + 1).toString(16)}`)
  expect(await askMany(BURST + 5, (n) => ask(behindProxy, '/version', address(n)))).toEqual({ 200: BURST, 429: 5 })
  expect((await ask(behindProxy, '/version', from('2001:db8:5:6::1'))).status).toBe(200)
})

test('without a trusted proxy a header makes no other network of anybody', async () => {
  const forged = (n: number) => ({
    ...from(`203.0.113.${n}`),
    'x-real-ip': `203.0.113.${n}`,
    forwarded: `for=203.0.113.${n}`,
  })
  expect(await askMany(BURST + 5, (n) => ask(closed, '/version', forged(n)))).toEqual({ 200: BURST, 429: 5 })
  await closed.advance(3600)
})

const madeUpKey = () => `made-up-${crypto.randomUUID()}`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const madeUpToken = (iss: string) =>
  `${encode({ alg: 'ES256', kid: crypto.randomUUID(), typ: 'at+jwt' })}.${encode({ iss, sub: 'x', exp: 9e9 })}.${encode({})}`
const madeUpIssuer = () => `http://localhost:4000/accounts/${crypto.randomUUID()}/production`

const MADE_UP: [string, () => Record<string, string>][] = [
  ['/v1/users', () => ({ 'x-api-key': madeUpKey() })],
  ['/v1/auth/userinfo', () => bearer(madeUpToken(madeUpIssuer()))],
  ['/v1/auth/userinfo', () => bearer(madeUpToken('http://localhost:4000'))],
  [`${SCIM}/Users`, () => bearer(makeToken())],
  ['/v1/users', () => ({})],
]

test('made-up keys, issuers, tokens and nothing at all: beyond the limit they are refused without a look-up', async () => {
  const networks = MADE_UP.map(() => from(newNetwork()))
  const attemptEach = (count: number) =>
    Promise.all(
      MADE_UP.map(([path, credential], n) =>
        askMany(count, () => ask(behindProxy, path, { ...networks[n], ...credential() })),
      ),
    )
  expect(await attemptEach(BURST)).toEqual(MADE_UP.map(() => ({ 401: BURST })))
  const texts = await recordStatements(async () => {
    expect(await attemptEach(20)).toEqual(MADE_UP.map(() => ({ 429: 20 })))
  })
  expect(
    texts.filter((text) => /api_keys|environments|accounts|scim_tokens/.test(text) && !/update api_keys/.test(text)),
  ).toEqual([])
  const refused = await ask(behindProxy, '/v1/users', { ...networks[0], 'x-api-key': madeUpKey() })
  expect([refused.status, refused.type, refused.retryAfter]).toEqual([429, 'application/problem+json', '1'])
  for (const [path, credential] of MADE_UP)
    expect((await ask(behindProxy, path, { ...from(newNetwork()), ...credential() })).status).toBe(401)
})

test('who has a right key or token is never refused for the network', async () => {
  // Sessions begin by the database's clock, which goes on.
  // Shared process: moves the stopped clock. `afterAll` restores it.
  vi.setSystemTime(performance.timeOrigin + performance.now())
  const tenant = await behindProxy.tenant()
  const subOrgId = await tenant.organization()
  const { session } = await signedInUser(behindProxy, tenant, subOrgId, 'ada@example.com')
  const client = await provisioned(behindProxy, tenant)
  const headers = from(newNetwork())
  const byScim = () => ask(behindProxy, `${SCIM}/Users?count=1`, { ...headers, ...bearer(client.token) })
  const byKey = () => ask(behindProxy, '/v1/organizations', { ...headers, 'x-api-key': tenant.key })
  const byToken = () => ask(behindProxy, '/v1/auth/userinfo', { ...headers, ...bearer(session.access_token) })
  expect(await askMany(2 * BURST, byKey)).toEqual({ 200: 2 * BURST })
  expect(await askMany(2 * BURST, byToken)).toEqual({ 200: 2 * BURST })
  expect(await askMany(2 * BURST, byScim)).toEqual({ 200: 2 * BURST })
  const wrong = () => ask(behindProxy, '/v1/users', { ...headers, 'x-api-key': madeUpKey() })
  await askMany(BURST, wrong)
  expect((await wrong()).status).toBe(429)
  expect(await askMany(2 * BURST, byKey)).toEqual({ 200: 2 * BURST })
  expect(await askMany(2 * BURST, byToken)).toEqual({ 200: 2 * BURST })
  expect(await askMany(2 * BURST, byScim)).toEqual({ 200: 2 * BURST })
  // A made-up key beside a right token is a wrong credential like any other.
  const both = { ...from(newNetwork()), ...bearer(session.access_token) }
  const besideToken = () => ask(behindProxy, '/v1/auth/userinfo', { ...both, 'x-api-key': madeUpKey() })
  expect(await askMany(BURST + 5, besideToken)).toEqual({ 401: BURST, 429: 5 })
  expect((await ask(behindProxy, '/v1/auth/userinfo', both)).status).toBe(200)
  // What needs no key is counted apart.
  expect((await ask(behindProxy, '/version', headers)).status).toBe(200)
})

test('a right key that names an unknown environment counts as no wrong credential', async () => {
  const tenant = await behindProxy.tenant()
  const headers = from(newNetwork())
  const unknown = { ...headers, 'x-api-key': tenant.key, 'x-watchword-environment': crypto.randomUUID() }
  expect(await askMany(2 * BURST, () => ask(behindProxy, '/v1/users', unknown))).toEqual({ 404: 2 * BURST })
  const wrong = { ...headers, 'x-api-key': madeUpKey() }
  expect((await ask(behindProxy, '/v1/users', wrong)).status).toBe(401)
})

test('a key that is revoked is unknown at once', async () => {
  const tenant = await behindProxy.tenant()
  const made = await tenant.post('/v1/api-keys', { name: 'short', scopes: ['users.read'] })
  const { key, apiKey } = made.body
  const headers = { ...from(newNetwork()), 'x-api-key': key }
  expect((await ask(behindProxy, '/v1/users', headers)).status).toBe(200)
  await tenant.delete(`/v1/api-keys/${apiKey.id}`)
  expect(await askMany(BURST + 3, () => ask(behindProxy, '/v1/users', headers))).toEqual({ 401: BURST, 429: 3 })
})

test('an answer to what is no address is counted as well', async () => {
  const headers = from(newNetwork())
  expect(await askMany(BURST + 3, () => raw(behindProxy, '/%', headers))).toEqual({ 404: BURST, 429: 3 })
})

/** With a path that fetch would not send. */
async function raw(app: TestApp, path: string, headers: Record<string, string>): Promise<Answer> {
  const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  let text = ''
  for await (const data of socket.setEncoding('utf8')) text += data
  return { status: Number(text.split(' ')[1]), type: null, retryAfter: null, text }
}
