import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'

const service = await startApp()
const { as, baseUrl, app } = service

test('answers without a key', async () => {
  for (const path of ['/healthz', '/livez']) {
    const reply = await as(null).get(path)
    expect([reply.status, reply.body]).toEqual([200, { status: 'ok' }])
  }
})

test('answers however a load balancer or a browser asks', async () => {
  for (const path of ['/healthz?x=1', '/livez?x=1&x=2', '/healthz/'])
    for (const accept of ['*/*', 'text/html', 'image/png', 'text/plain;q=0.1']) {
      const reply = await as(null).get(path, { accept })
      expect([path, accept, reply.status, reply.body]).toEqual([path, accept, 200, { status: 'ok' }])
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

test.each(['POST', 'OPTIONS', 'TRACE', 'QUERY'])('%s where nothing takes it is no failure of ours', async (method) => {
  // Sent without fetch, which refuses some of these requests.
  const call = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(baseUrl + path, { method }, (reply) => resolve(reply.resume().statusCode))
        .on('error', reject)
        .end()
    })
  expect(await call('/healthz')).toBe(method === 'QUERY' ? 404 : 405)
  expect(await call('/nowhere')).toBe(404)
})

test('a connection on which nothing moves is closed', () => {
  expect(app.server.server.timeout).toBe(30_000)
})

test('an unknown path is a problem with a request id', async () => {
  const reply = await as(null).get('/nowhere', { 'x-request-id': 'given-by-caller' })
  expect(reply.headers.get('content-type')).toBe('application/problem+json')
  expect(reply.body).toMatchObject({ status: 404, code: 'not_found', request_id: 'given-by-caller' })
})
