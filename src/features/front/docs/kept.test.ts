import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { keepAnswer, keepOnce } from '../../../platform/http/kept.ts'
import { routes } from '../../../wiring/routes.ts'
import { keptContracts } from './docs.ts'

const { app, baseUrl } = await startApp()

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Unlike fetch, it neither accepts an encoding by default nor decodes one. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(baseUrl + path, { method, headers, agent: false }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => void parts.push(part))
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(parts) }),
      )
    })
    call.on('error', reject)
    call.end()
  })
}

const GZIP = { 'accept-encoding': 'gzip' }

const documents: [path: string, type: string][] = [
  ['/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/api/v1/openapi.json', 'application/json; charset=utf-8'],
  ['/v1/scim/openapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/errors', 'text/html; charset=utf-8'],
  ['/docs/events', 'text/html; charset=utf-8'],
  ['/docs/guides', 'text/html; charset=utf-8'],
  ['/docs/guides/sign-in/mfa', 'text/html; charset=utf-8'],
  ['/docs/reference/users', 'text/html; charset=utf-8'],
]

test.each(documents)('%s is compressed for who takes that, and the same text otherwise', async (path, type) => {
  const plain = await ask(path)
  expect([plain.status, plain.headers['content-type'], plain.headers['content-encoding']]).toEqual([
    200,
    type,
    undefined,
  ])
  expect(plain.headers['content-length']).toBe(String(plain.body.length))
  for (const accepted of ['gzip', 'br;q=1.0, gzip;q=0.8', 'GZIP', '*']) {
    const small = await ask(path, { 'accept-encoding': accepted })
    expect([accepted, small.status, small.headers['content-encoding']]).toEqual([accepted, 200, 'gzip'])
    expect([small.headers['etag'], small.headers['vary'], small.headers['content-type']]).toEqual([
      plain.headers['etag'],
      'accept-encoding',
      type,
    ])
    expect(gunzipSync(small.body).equals(plain.body)).toBe(true)
    expect(small.body.length).toBeLessThan(plain.body.length)
  }
  for (const refused of ['identity', 'br', 'gzip;q=0', '*, gzip;q=0', 'deflate;q=1'])
    expect([refused, (await ask(path, { 'accept-encoding': refused })).headers['content-encoding']]).toEqual([
      refused,
      undefined,
    ])
})

test.each(documents)('%s is not sent again to who has it', async (path) => {
  const { headers, body } = await ask(path, GZIP)
  const etag = String(headers['etag'])
  expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
  for (const condition of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const again = await ask(path, { ...GZIP, 'if-none-match': condition })
    expect([condition, again.status, again.body.length, again.headers['etag']]).toEqual([condition, 304, 0, etag])
    const lasting = ['cache-control', 'vary', 'content-security-policy']
    expect(lasting.map((name) => again.headers[name])).toEqual(lasting.map((name) => headers[name]))
    expect([again.headers['content-type'], again.headers['content-length']]).toEqual([undefined, undefined])
  }
  const changed = await ask(path, { ...GZIP, 'if-none-match': 'W/"other"' })
  expect([changed.status, changed.body.equals(body)]).toEqual([200, true])
})

test.each(documents)('%s has the headers of GET for HEAD, and no body', async (path) => {
  const [whole, head] = [await ask(path, GZIP), await ask(path, GZIP, 'HEAD')]
  const lasting = ({ headers }: Answer) => ({ ...headers, 'x-request-id': null, date: null })
  expect([head.status, head.body.length]).toEqual([200, 0])
  expect(lasting(head)).toEqual(lasting(whole))
  const again = await ask(path, { ...GZIP, 'if-none-match': String(whole.headers['etag']) }, 'HEAD')
  expect(again.status).toBe(304)
})

test('a page keeps its policy, may be kept by caches, and costs no statement', async () => {
  const texts = await recordStatements(async () => {
    for (const [path] of documents) {
      const { headers } = await ask(path)
      expect([path, headers['cache-control']]).toEqual([path, 'no-cache'])
    }
  })
  expect(texts.filter((text) => !text.includes('graphile_worker.'))).toEqual([])
  const { headers } = await ask('/docs/errors')
  expect(headers['content-security-policy']).toContain("default-src 'none'; style-src 'self'; img-src 'self' data:; ")
  expect(headers['content-security-policy']).not.toContain('unsafe')
})

test('it is rendered and compressed once, unless that failed', async () => {
  let made = 0
  const get = keepOnce(async () => {
    if (++made === 1) throw new Error('The first time')
    return keepAnswer('text', { 'content-type': 'text/plain' })
  })
  await expect(get()).rejects.toThrow('The first time')
  const [one, other] = await Promise.all([get(), get()])
  expect([one === other, (await get()) === one, made]).toEqual([true, true, 2])
  const contract = () => keptContracts.api(app.platform)(() => routes)
  const first = await contract()
  expect(await contract()).toBe(first)
})
