import { expect, test } from 'vitest'
import { PRODUCTION, startApp } from '../../../test/harness.ts'

const development = await startApp()
const production = await startApp({ env: PRODUCTION })

const EVERYWHERE = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Responses of every kind: from a handler, from each step that refuses, and for unknown paths. */
async function answersOf(service: typeof development) {
  const tenant = await service.tenant()
  const narrow = await tenant.withKey({ scopes: ['users.read'] })
  return {
    200: await tenant.get('/v1/environments'),
    400: await tenant.post('/v1/organizations', '{'),
    401: await service.as(null).get('/v1/environments'),
    403: await narrow.get('/v1/environments'),
    404: await service.as(null).get('/v1/nowhere'),
    405: await service.as(null).delete('/healthz'),
  }
}

test('an answer of the API says to browsers and caches what it is', async () => {
  for (const [status, reply] of Object.entries(await answersOf(development))) {
    expect([String(reply.status), Object.fromEntries(reply.headers)]).toMatchObject([status, EVERYWHERE])
    const names = [...reply.headers.keys()]
    expect(names.filter((name) => /^access-control|^server$|powered|strict-transport/.test(name))).toEqual([])
    expect(names).toContain('x-request-id')
  }
})

test('where the service has https, browsers keep to it', async () => {
  for (const [status, reply] of Object.entries(await answersOf(production)))
    expect([String(reply.status), Object.fromEntries(reply.headers)]).toMatchObject([
      status,
      { ...EVERYWHERE, 'strict-transport-security': 'max-age=31536000; includeSubDomains' },
    ])
})

test('no page of another origin reads what a backend calls, whatever it asks', async () => {
  const tenant = await development.tenant()
  const reply = await tenant.get('/v1/environments', { origin: 'https://evil.example' })
  expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, null])
  const preflight = await fetch(`${development.baseUrl}/v1/environments`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-api-key',
    },
  })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([405, null])
})
