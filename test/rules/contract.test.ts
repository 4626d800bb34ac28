import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Reply, startApp, until } from '../harness.ts'
import { assertMatchesContract, findOperation, type Operation, operations } from './contract.ts'

const { as, tenant: createTenant } = await startApp()

interface Row {
  name: string
  method: string
  path: string
  scope: string
}

const rows = readFileSync(new URL('interface-rows.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map(toRow)

function toRow(line: string): Row {
  const [method = '', path = '', scope = ''] = line.split('\t')
  return { name: `${method} ${path}`, method, path, scope }
}

/** A path whose parameters have no names: the table has others than the document. */
const withoutNames = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')

/** The scope that an operation asks for, in the words of the table. One of a wider path is not that of the row. */
function scopeOf(row: Row): string | null {
  const found = findOperation(row.method, row.path)
  if (!found || !withoutNames(row.path).endsWith(withoutNames(found.template))) return null
  const [first] = found.operation.security
  if (first?.scimToken) return 'bearer'
  return first ? (first.apiKey?.join() ?? '') || 'any key' : 'public'
}

test('every row of the interface is served with its scope', () => {
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.map((row) => [row.name, scopeOf(row)])).toEqual(rows.map((row) => [row.name, row.scope]))
})

test('every documented operation answers at its path, and below /api as well', async () => {
  for (const { template, method, operation } of operations()) {
    if ('text/html' in (operation.responses['200']?.content ?? {})) continue
    const path = template.replaceAll(/\{\w+\}/g, 'nobody')
    for (const each of path.startsWith('/v1/') ? [path, `/api${path}`] : [path]) {
      const reply = await callBare(method, each)
      expect([method, each, reply.body?.code ?? null]).toEqual([method, each, refusalOf(operation, reply)])
    }
  }
})

/** What a request without a credential is refused with; null: it is answered. */
function refusalOf({ security }: Operation, reply: Reply): string | null {
  if (security.some((scheme) => 'apiKey' in scheme && !('accessToken' in scheme))) return 'api_key_missing'
  // SCIM has no codes (RFC 7644 §3.12).
  if (security.some((scheme) => 'scimToken' in scheme)) return reply.status === 401 ? null : `status ${reply.status}`
  if (security.length) return 'access_token_missing'
  return reply.body?.code === 'not_found' ? 'not_found' : null
}

function callBare(method: string, path: string) {
  const anonymous = as(null)
  switch (method) {
    case 'get':
      return anonymous.get(path)
    case 'post':
      return anonymous.post(path)
    case 'put':
      return anonymous.put(path)
    case 'patch':
      return anonymous.patch(path)
    default:
      return anonymous.delete(path)
  }
}

test('the check of replies refuses what the document does not have', () => {
  const problem = { type: 'https://x.test/docs/errors#y', title: 'Y', status: 404, detail: 'Y.', request_id: 'req_1' }
  expect(() => assertMatchesContract('GET', '/healthz', 200, { status: 'ok' })).not.toThrow()
  expect(() => assertMatchesContract('GET', '/healthz', 200, { state: 'ok' })).toThrow('does not match')
  expect(() => assertMatchesContract('GET', '/healthz', 201, { status: 'ok' })).toThrow(
    'a status its OpenAPI operation',
  )
  expect(() =>
    assertMatchesContract('GET', '/v1/users/1?x=1', 404, { ...problem, code: 'user_not_found' }),
  ).not.toThrow()
  expect(() => assertMatchesContract('GET', '/v1/users/1', 404, { ...problem, code: 'otp_invalid' })).toThrow('a code')
  expect(() => assertMatchesContract('GET', '/nowhere', 404, { code: 'not_found' })).toThrow('/nowhere')
})

test('an event that does not match the schema of its type is shown, with the reason', async () => {
  const tenant = await createTenant()
  await tenant.organization()
  // The feed shows an event once older transactions of the cluster have ended.
  const { body } = await until(async () => {
    const reply = await tenant.get('/v1/events')
    return reply.body.events.length > 0 && reply
  })
  const [event] = body.events
  const strange = { ...event, data: {} }
  const check = (events: object[]) => () => assertMatchesContract('GET', '/v1/events', 200, { ...body, events })
  expect(check([event])).not.toThrow()
  expect(check([event, strange])).toThrow(`/events/1/data must have required property`)
  expect(check([event, strange])).toThrow(`the event is ${JSON.stringify(strange)}`)
})
