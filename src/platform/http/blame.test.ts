import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp, until } from '../../../test/harness.ts'
import { lockConnections } from '../../../test/held-connections.ts'
import { serve } from '../../../test/walkers/extra-routes.ts'
import { html } from '../pages/html.ts'
import { definePage } from '../pages/pages.ts'

// A failure is attributed to its cause: the database, its load, the service itself, or a client that left.

const app = await startApp({ ownBounds: true })
const { platform } = app.app
const tenant = await app.tenant()
const subOrgId = await tenant.organization()

const page = (path: `/${string}`, fail: () => Promise<unknown>) =>
  definePage({
    path,
    summary: 'Fails',
    async render() {
      await fail()
      return html``
    },
  })
const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
const base = await serve(app, [
  ...page('/test/file', () => readFile('/nowhere/at/all')),
  ...page('/test/peer', () => Promise.reject(reset)),
  ...page('/test/broken', () => sql`select pg_terminate_backend(pg_backend_pid())`.execute(platform.db)),
])

interface Line {
  level: string
  msg: string
  route?: string
  count?: number
  error?: { code?: string; frames?: string[] }
}

/** Log lines since `start`, except the lines for requests. */
function linesSince(start: number): Line[] {
  const lines: Line[] = app.logLines.slice(start).map((line) => JSON.parse(line))
  return lines.filter(({ msg }) => msg !== 'request')
}

test.each([
  ['/v1/otp/generate', { 'x-api-key': tenant.key, 'content-type': 'application/json' }],
  ['/auth/link', { 'content-type': 'application/x-www-form-urlencoded' }],
])('a client that hangs up in its body for %s is nobody’s outage', async (path, headers) => {
  // The key is in the cache from now on, so the service is already reading the body when it sends 100 Continue.
  await tenant.get('/v1/auth/methods')
  const start = app.logLines.length
  const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1')
  const fields = { host: 'localhost', 'content-length': '100', expect: '100-continue', ...headers }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n{"a`)
  socket.once('data', () => socket.resetAndDestroy())
  const lines = await until(async () => {
    const lines = linesSince(start)
    return lines.length > 0 && lines
  })
  expect(lines).toEqual([expect.objectContaining({ level: 'debug', route: path, msg: 'The client hung up' })])
})

test.each([
  ['/test/file', 'ENOENT'],
  ['/test/peer', 'ECONNRESET'],
])('what fails elsewhere at %s is ours, not the database’s', async (path, code) => {
  const start = app.logLines.length
  expect((await fetch(base + path)).status).toBe(500)
  expect(linesSince(start)).toEqual([
    expect.objectContaining({ level: 'error', msg: 'Internal error', error: expect.objectContaining({ code }) }),
  ])
})

test('a statement that waits too long is a 503, outside the query builder too', async () => {
  const reply = await platform.tx(async (tx) => {
    await sql`lock table otps`.execute(tx)
    return tenant.post('/v1/otp/generate', { subOrgId })
  })
  expect([reply.status, reply.body.code, reply.headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
})

test('refusals under load are one warning without a stack, however many there are', async () => {
  const start = app.logLines.length
  const end = await lockConnections(platform)
  const email = 'nobody@example.com'
  const body = { subOrgId, email, password: 'a password of nobody' }
  const replies = await Promise.all(Array.from({ length: 12 }, () => tenant.post('/v1/auth/login/password', body)))
  await end()
  expect(new Set(replies.map(({ status, body }) => `${status} ${body.code}`))).toEqual(new Set(['503 unavailable']))
  expect(linesSince(start)).toEqual([
    { level: 'warn', time: expect.any(String), route: '/v1/auth/login/password', count: 1, msg: expect.any(String) },
  ])
})

// Runs last, because the broken connection stays in the pool until another request takes it.
test('a broken connection to the database is a 503 with Retry-After, and an error in the log', async () => {
  const start = app.logLines.length
  const reply = await fetch(`${base}/test/broken`)
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1'])
  expect(linesSince(start)).toEqual([expect.objectContaining({ level: 'error', msg: 'Temporarily unavailable' })])
})
