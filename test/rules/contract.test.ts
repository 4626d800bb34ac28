import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { assertMatchesContract, findOperation, type Operation, operations } from './contract.ts'
import { faultsOf } from './interface-check.ts'
import { interfaceFields } from './interface-fields.ts'
import { laterRows } from './later-rows.ts'

const { as } = await startApp()

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

test('every row of the interface is served with its scope, or known to come later', () => {
  const due = rows.filter((row) => !laterRows.includes(row.name))
  expect(due.map((row) => [row.name, scopeOf(row)])).toEqual(due.map((row) => [row.name, row.scope]))
})

test('the list of later rows holds rows of the interface that are not served, and nothing else', () => {
  const served = rows.filter((row) => laterRows.includes(row.name) && findOperation(row.method, row.path)?.template)
  const exactly = served.filter((row) => row.path.endsWith(findOperation(row.method, row.path)?.template ?? ' '))
  expect(exactly.map((row) => row.name)).toEqual([])
  const names = new Set(rows.map((row) => row.name))
  expect(laterRows.filter((name) => !names.has(name))).toEqual([])
})

/** Where the service knowingly differs from the table, and why. What no longer differs fails the test. */
const deviations: Record<string, string> = {
  'DELETE /api/v1/mfa/totp does not require body.userId':
    'The query may name the user as well: not every client and proxy lets a DELETE have a body.',
  'POST /api/v1/auth/invite/accept does not require body.password':
    'A team member who is invited to another organization accepts without one and keeps theirs.',
  'POST /api/os/scim/v2/Users does not require body.userName':
    'Names of attributes are taken in any case (RFC 7643 §2.1); a rule asks for it.',
}

test('every row of the interface that is served takes and answers what the interface says', () => {
  const due = rows.filter((row) => !laterRows.includes(row.name))
  expect(Object.keys(interfaceFields).toSorted()).toEqual(due.map((row) => row.name).toSorted())
  const faults = due.flatMap(({ name, method, path }) => {
    const fields = interfaceFields[name]
    return fields ? faultsOf(method, path, fields) : []
  })
  expect(faults.toSorted()).toEqual(Object.keys(deviations).toSorted())
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
  if (security.some((scheme) => 'apiKey' in scheme)) return 'api_key_missing'
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
