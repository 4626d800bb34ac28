import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { createApiKey } from '../../features/tenancy/api-keys/api-keys.ts'

const app = await startApp()
const { platform } = app.app
const tenant = await app.tenant()
const PATH = '/v1/environments'

/** Sends a request with only these headers as credentials. */
const present = (headers: Record<string, string>) => app.as(null).get(PATH, headers)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('a key may come as a Bearer token, with the rights that it has in its own header', async () => {
  for (const headers of [bearer(tenant.key), { authorization: `bearer   ${tenant.key} ` }]) {
    const reply = await present(headers)
    expect([reply.status, reply.body]).toEqual([200, (await tenant.get(PATH)).body])
  }
  const narrow = await tenant.withKey({ scopes: ['users.read'] })
  expect((await present(bearer(narrow.key))).body.code).toBe('insufficient_scope')
  expect((await present(bearer(`${tenant.key}x`))).body.code).toBe('api_key_invalid')
  for (const authorization of [tenant.key, `Basic ${tenant.key}`, 'Bearer', `Bearer ${tenant.key} x`])
    expect((await present({ authorization })).body.code, authorization).toBe('api_key_missing')
})

test('a refused credential is told what is wrong with it, where that can be seen', async () => {
  const cutOff = tenant.key.slice(0, -1)
  for (const [headers, detail] of [
    [{}, /^Send your API key in the header X-API-Key\.$/],
    [{ authorization: tenant.key }, /lacks the word Bearer/],
    [{ 'x-api-key': `${cutOff}${tenant.key.endsWith('0') ? '1' : '0'}` }, /^The key is mistyped or cut off/],
    [{ 'x-api-key': cutOff }, /^The key is mistyped or cut off/],
    [{ 'x-api-key': 'eyJh.eyJz.c2ln' }, /^An access token was sent/],
    [
      { 'x-api-key': 'a key of the operator’s own'.replaceAll(/[^a-z]/g, '-') },
      /^The key is mistyped, was revoked, or/,
    ],
  ] as const) {
    const reply = await present(headers)
    expect([reply.status, reply.body.detail]).toEqual([401, expect.stringMatching(detail)])
  }
})

test('two credentials are refused, of whatever two keys, and the same one twice is one', async () => {
  const other = (await tenant.withKey({})).key
  const stranger = (await app.tenant()).key
  for (const second of [other, stranger, 'nonsense']) {
    for (const [own, token] of [
      [tenant.key, second],
      [second, tenant.key],
    ] as const) {
      const reply = await present({ 'x-api-key': own, ...bearer(token) })
      expect([reply.status, reply.body.code]).toEqual([400, 'api_key_conflict'])
    }
  }
  expect((await present({ 'x-api-key': tenant.key, ...bearer(tenant.key) })).status).toBe(200)
})

/** A key with an expiry or a rate limit. */
async function keyWith(limits: { expiresAt?: Date; requestsPerSecond?: number }): Promise<string> {
  const { key } = await createApiKey(platform, platform.db, {
    accountId: tenant.accountId,
    environmentId: tenant.environmentId,
    environmentSlug: 'production',
    organizationId: null,
    name: 'limited',
    scopes: ['*'],
    expiresAt: null,
    requestsPerSecond: null,
    createdBy: 'test',
    ...limits,
  })
  return key
}

test('a key ends when it says, though it was used a moment before', async () => {
  const key = await keyWith({ expiresAt: new Date(platform.clock.now().getTime() + 60_000) })
  expect((await present({ 'x-api-key': key })).status).toBe(200)
  await app.advance(61)
  for (const headers of [{ 'x-api-key': key }, bearer(key)]) {
    const reply = await present(headers)
    expect([reply.status, reply.body.code]).toEqual([401, 'api_key_expired'])
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="watchword"')
  }
  const write = await app.as(key).post('/v1/organizations', { name: 'Late', slug: 'late' })
  expect([write.status, write.body.code]).toEqual([401, 'api_key_expired'])
  expect((await tenant.get('/v1/organizations?slug=late')).body.subOrganizations).toEqual([])
})

test('a key asks no more often than its ceiling, and takes nothing from another', async () => {
  const key = await keyWith({ requestsPerSecond: 2 })
  // Requests sent at once fall into at most two seconds.
  const replies = await Promise.all(Array.from({ length: 12 }, () => present({ 'x-api-key': key })))
  const refused = replies.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThanOrEqual(6)
  for (const { status, body, headers } of refused) {
    expect([status, body.code, body.retry_after]).toEqual([429, 'rate_limited', 1])
    expect([headers.get('retry-after'), headers.get('x-ratelimit-limit')]).toEqual(['1', '2'])
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
  }
  expect((await tenant.get(PATH)).status).toBe(200)
  await app.advance(2)
  expect((await present({ 'x-api-key': key })).status).toBe(200)
})

test('the deployment’s ceiling is that of keys without one of their own', async () => {
  const strict = await startApp({ env: { WATCHWORD_KEY_REQUESTS_PER_SECOND: '1' } })
  const { key } = await strict.tenant()
  const replies = await Promise.all(Array.from({ length: 8 }, () => strict.as(key).get(PATH)))
  const codes = replies.map(({ status }) => status)
  expect(codes.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5)
  expect(codes.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1)
})
