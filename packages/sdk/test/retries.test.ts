import { inspect } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { ConnectionError, TimeoutError, Watchword, WatchwordError } from '../src/index.ts'
import type { Transport } from '../src/transport.ts'
import { problem, startFailingServer, type Treatment } from './failing-server.ts'

let treatments: Treatment[] = []
const server = await startFailingServer(() => treatments)
const waits: number[] = []

/** A client whose waits take no time. */
function client(options: { maxRetries?: number; timeout?: number } = {}) {
  const { transport } = new Watchword({ url: server.url, apiKey: 'ww_live_x', ...options }) as unknown as {
    transport: Transport
  }
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    waits.push(milliseconds)
  }
  return new Watchword(transport.with(() => ({ sleep })))
}

beforeEach(() => {
  server.seen.length = 0
  waits.length = 0
})

const OK: Treatment = { status: 200, body: { user: { id: 'u1' } } }
const unavailable: Treatment = { status: 503, body: problem(503, 'unavailable'), headers: { 'retry-after': '3' } }
const limited: Treatment = { status: 429, body: problem(429, 'rate_limited'), headers: { 'retry-after': '7' } }
const gateway: Treatment = { status: 502, body: '<h1>Bad Gateway</h1>', headers: { 'content-type': 'text/html' } }
const running: Treatment = { status: 409, body: problem(409, 'idempotency_in_progress') }
const create = (options: object = {}) => client().users.create({ email: 'a@b.test' }, options)

describe('a call whose repetition has no second effect is repeated after', () => {
  test.each([
    ['503', unavailable],
    ['429', limited],
    ['502 of a proxy', gateway],
    ['a closed connection', 'close' as const],
    ['a first request that is still processed', running],
  ])('%s', async (_, failure) => {
    treatments = [failure, failure, OK]
    expect(await create()).toEqual({ user: { id: 'u1' } })
    expect(server.seen).toHaveLength(3)
    const keys = server.seen.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(keys).size).toBe(1)
    expect(new Set(server.seen.map(({ body }) => body))).toEqual(new Set(['{"email":"a@b.test"}']))
  })
})

test('each call has a key of its own, unless the caller gives one', async () => {
  treatments = [OK]
  await create()
  await create()
  await create({ idempotencyKey: 'mine' })
  const keys = server.seen.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(3)
  expect(keys[2]).toBe('mine')
})

test('a wait is as long as the response asks, and grows with jitter otherwise', async () => {
  treatments = [unavailable, gateway, OK]
  await create()
  expect(waits[0]).toBe(3000)
  expect(waits[1]).toBeGreaterThanOrEqual(500)
  expect(waits[1]).toBeLessThanOrEqual(1000)
})

test('a response that asks for a longer wait than a minute is not waited for', async () => {
  treatments = [{ ...limited, headers: { 'retry-after': '61' } }]
  await expect(create()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 61 })
  expect(server.seen).toHaveLength(1)
})

describe('a call that spends a secret, sends a message or changes a session is sent once', () => {
  const calls: [string, (watchword: Watchword) => Promise<unknown>][] = [
    ['login.otp.verify', (w) => w.login.otp.verify({ email: 'a@b.test', otp_id: 'x', code: 'a b' })],
    ['login.otp.send', (w) => w.login.otp.send({ email: 'a@b.test' })],
    ['login.magicLink.verify', (w) => w.login.magicLink.verify({ email: 'a@b.test', token_hash: 'x' })],
    ['tokens.refresh', (w) => w.tokens.refresh({ refresh_token: 'rt_x' })],
    ['tokens.exchange', (w) => w.tokens.exchange({ exchange_code: 'x', state: 'y' } as never)],
    ['login.password', (w) => w.login.password({ email: 'a@b.test', password: 'x' })],
    ['mfa.challenge.verify', (w) => w.mfa.challenge.verify({ challenge_token: 'x', code: '123456' } as never)],
    ['otp.validate', (w) => w.otp.validate({ code: 'a b' } as never)],
    ['invites.accept', (w) => w.invites.accept({ token_hash: 'x' } as never)],
    ['passwordReset.complete', (w) => w.passwordReset.complete({ token_hash: 'x', password: 'y' } as never)],
  ]
  test.each(calls)('%s', async (_, call) => {
    for (const failure of [unavailable, limited, gateway, 'close'] as const) {
      server.seen.length = 0
      treatments = [failure]
      await expect(call(client())).rejects.toThrow()
      expect(server.seen).toHaveLength(1)
      expect(server.seen[0]?.headers['idempotency-key']).toBeUndefined()
    }
  })
})

describe('a refusal is an error with its code, and is not repeated', () => {
  test.each([400, 401, 403, 404, 409, 422, 500])('%i', async (status) => {
    treatments = [{ status, body: problem(status, 'email_exists') }]
    const error = await create().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(WatchwordError)
    expect(error).toMatchObject({
      code: 'email_exists',
      status,
      requestId: 'req_1',
      message: 'users.create: It is email_exists.',
    })
    expect(server.seen).toHaveLength(1)
  })
})

test('after the last attempt its error is thrown, and `maxRetries` says how many there are', async () => {
  treatments = [unavailable]
  await expect(create()).rejects.toMatchObject({ code: 'unavailable' })
  expect(server.seen).toHaveLength(3)
  server.seen.length = 0
  await expect(create({ maxRetries: 0 })).rejects.toMatchObject({ code: 'unavailable' })
  expect(server.seen).toHaveLength(1)
})

test('the error of a proxy names the status and the page', async () => {
  treatments = [gateway]
  const error = await create().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).not.toBeInstanceOf(WatchwordError)
  expect(String(error)).toContain('HTTP 502, not from Watchword: <h1>Bad Gateway</h1>')
})

test('an attempt that takes too long is given up', async () => {
  treatments = ['hang']
  const error = await client({ maxRetries: 0, timeout: 50 })
    .users.list()
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TimeoutError)
  expect(String(error)).toContain('GET /v1/users took longer than 50 ms.')
})

test('a signal ends the call with its reason, also between two attempts', async () => {
  treatments = [unavailable]
  const aborted = AbortSignal.abort(new Error('left the page'))
  await expect(create({ signal: aborted })).rejects.toThrow('left the page')
  expect(server.seen).toHaveLength(0)
  const controller = new AbortController()
  const call = create({ signal: controller.signal })
  controller.abort(new Error('left later'))
  await expect(call).rejects.toThrow('left later')
})

test('a response that is no JSON says that the URL may be wrong', async () => {
  treatments = [{ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }]
  await expect(client().users.list()).rejects.toThrow(
    'The response (HTTP 200) is no JSON: is the URL that of Watchword?',
  )
})

test('an object in the place of an id is not printed, since it may have tokens', async () => {
  treatments = [OK]
  const tokens = { access_token: 'secret-token' } as never
  await expect(client().users.get(tokens)).rejects.toThrow('A path takes an id, not a value of the type object.')
})

test('an id cannot leave its place in the path: the call is rejected, of whatever kind it is', async () => {
  treatments = [OK]
  for (const id of ['', '.', '..', undefined as never]) {
    await expect(client().users.get(id)).rejects.toThrow(TypeError)
    const identities = client().users.listIdentities(id)
    await expect(identities).rejects.toThrow('A path takes an id, not')
    await expect(identities[Symbol.asyncIterator]().next()).rejects.toThrow(TypeError)
    await expect(client().oidc.complete(id)).rejects.toThrow(TypeError)
  }
  await expect(client().users.get('u1', {}, { ifMatch: 'a\nb' })).rejects.toThrow(TypeError)
  expect(server.seen).toEqual([])
  await client().users.get('../api-keys?x=1')
  expect(server.seen[0]?.url).toBe('/v1/users/..%2Fapi-keys%3Fx%3D1')
})

test('a code that the package does not list is passed on, with the members of its problem', async () => {
  treatments = [{ status: 409, body: problem(409, 'brand_new', { hint: 'Upgrade' }) }]
  const error: unknown = await create().catch((reason: unknown) => reason)
  if (!(error instanceof WatchwordError)) throw new Error('no refusal')
  expect([error.code, error.status, Object(error.problem).hint]).toEqual(['brand_new', 409, 'Upgrade'])
})

test('a failure is reported once: by the call, by `withResponse` or by the iteration', async () => {
  treatments = [{ status: 404, body: problem(404, 'user_not_found') }]
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  await expect(client().users.get('id').withResponse()).rejects.toMatchObject({ code: 'user_not_found' })
  await expect(client().users.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'user_not_found' })
  await expect(client().users.get('id')).rejects.toMatchObject({ code: 'user_not_found' })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('a body that stops on the way is given up in time, and requested again', async () => {
  treatments = ['stall', OK]
  expect(await client({ timeout: 1500 }).users.get('id')).toEqual({ user: { id: 'u1' } })
  treatments = ['stall']
  server.seen.length = 0
  await expect(client({ timeout: 100, maxRetries: 0 }).users.get('id')).rejects.toThrow(TimeoutError)
})

test('what is logged of a client and of its errors has no credential', async () => {
  treatments = [{ status: 403, body: problem(403, 'insufficient_scope') }]
  const watchword = new Watchword({ url: server.url, apiKey: 'ww_live_secret' })
  const error: unknown = await watchword.users.list().catch((reason: unknown) => reason)
  const user = watchword.forUser('token_secret')
  expect(inspect([watchword, user, error], { depth: 20, showHidden: false })).not.toContain('secret')
  expect(JSON.stringify([watchword, user, error])).not.toContain('secret')
})

test('a header that cannot be sent is changed, and the request is sent', async () => {
  treatments = [OK]
  await client()
    .forRequest({ headers: { 'user-agent': 'Agent ☂\n/1' }, ip: '203.0.113.9' })
    .users.get('id')
  expect(server.seen[0]?.headers).toMatchObject({ 'x-end-user-agent': 'Agent ??/1', 'x-end-user-ip': '203.0.113.9' })
})

test('headers of a call replace those of the client, in any case', async () => {
  treatments = [OK]
  await create({ headers: { 'Idempotency-Key': 'mine', 'X-API-Key': 'other' } })
  expect(server.seen[0]?.headers).toMatchObject({ 'idempotency-key': 'mine', 'x-api-key': 'other' })
})

test('who acts is sent so that any name arrives', async () => {
  treatments = [OK]
  const actor = { id: '%61dmin 100% Ω', name: 'Zoë \ud800' }
  await client().forRequest({ headers: {} }, { actor }).users.get('id')
  const { 'x-actor-id': id, 'x-actor-name': name } = server.seen[0]?.headers ?? {}
  expect(decodeURIComponent(String(id))).toBe(actor.id)
  expect(decodeURIComponent(String(name))).toBe('Zoë \ufffd')
})

test('a client with a wrong setting is refused, without showing a secret', () => {
  const make = (options: object) => () => new Watchword({ url: 'https://x.test', ...options })
  const bad: object[] = [
    { url: 'auth.example.com:443' },
    { url: 'https://user:secret@x.test' },
    { url: 'https://x.test/?a=secret' },
    { url: '' },
    { apiKey: 'secret\nx' },
    { timeout: Number.NaN },
    { maxRetries: Number.NaN },
    { maxRetries: -1 },
  ]
  for (const options of bad) {
    expect(make(options)).toThrow(TypeError)
    expect(make(options)).not.toThrow('secret')
  }
  expect(() => make({})().forUser('secret\nx')).toThrow(TypeError)
  expect(() => make({})().forUser('')).toThrow(TypeError)
  for (const timeout of [0, 2 ** 31, Number.POSITIVE_INFINITY]) expect(make({ timeout })).not.toThrow()
})

test('without a time limit, or with a very long one, a call goes on', async () => {
  treatments = [OK]
  for (const timeout of [0, 2 ** 31, Number.POSITIVE_INFINITY])
    expect(await client({ timeout }).users.get('id')).toEqual({ user: { id: 'u1' } })
})

test('a download that has begun in time may take longer', async () => {
  treatments = ['slow']
  const response = await client({ timeout: 1500, maxRetries: 0 }).audit.export()
  expect(await response.text()).toBe('{"a":1}\n')
})

test('an answer that only looks like a refusal is one of a proxy', async () => {
  treatments = [{ status: 502, body: { code: 500, detail: 'Bad gateway' } }, OK]
  expect(await create()).toEqual({ user: { id: 'u1' } })
})

test('an iteration ends if the server repeats a place', async () => {
  treatments = [{ status: 200, body: { users: [{ id: 'a' }], has_more: true, next_cursor: 'same' } }]
  const found: unknown[] = []
  for await (const user of client().users.list()) found.push(user.id)
  expect(found).toEqual(['a', 'a'])
})
