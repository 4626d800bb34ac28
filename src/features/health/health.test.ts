import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'

const { as, baseUrl } = await startApp()

test('answers without a key and without the database', async () => {
  for (const path of ['/healthz', '/livez']) {
    const reply = await as(null).get(path)
    expect([reply.status, reply.body]).toEqual([200, { status: 'ok' }])
  }
})

test('HEAD is answered as GET, without the body', async () => {
  for (const [path, status] of [
    ['/healthz', 200],
    ['/v1/users', 401],
    ['/nowhere', 404],
  ] as const) {
    const reply = await fetch(`${baseUrl}${path}`, { method: 'HEAD' })
    expect([path, reply.status, await reply.text()]).toEqual([path, status, ''])
  }
})

test('a known path with another method is 405 with Allow', async () => {
  const reply = await as(null).post('/healthz', {})
  expect([reply.status, reply.body.code, reply.headers.get('allow')]).toEqual([405, 'method_not_allowed', 'GET, HEAD'])
})

test('an unknown path is a problem with a request id', async () => {
  const reply = await as(null).get('/nowhere', { 'x-request-id': 'given-by-caller' })
  expect(reply.headers.get('content-type')).toBe('application/problem+json')
  expect(reply.body).toMatchObject({ status: 404, code: 'not_found', request_id: 'given-by-caller' })
})
