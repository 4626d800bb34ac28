import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { assertMatchesContract, contract, findOperation } from './contract.ts'
import { startApp } from './harness.ts'
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

/** The scope that an operation asks for, in the words of the table. */
function scopeOf(row: Row): string | null {
  const operation = findOperation(row.method, row.path)?.operation
  if (!operation) return null
  const [first] = operation.security
  return first ? (first.apiKey?.join() ?? '') || 'any key' : 'public'
}

test('every row of the interface is served with its scope, or known to come later', () => {
  const due = rows.filter((row) => !laterRows.includes(row.name))
  expect(due.map((row) => [row.name, scopeOf(row)])).toEqual(due.map((row) => [row.name, row.scope]))
})

test('the list of later rows holds rows of the interface that are not served, and nothing else', () => {
  const served = rows.filter((row) => laterRows.includes(row.name) && findOperation(row.method, row.path)?.template)
  const exactly = served.filter((row) => findOperation(row.method, row.path)?.template.endsWith(row.path))
  expect(exactly.map((row) => row.name)).toEqual([])
  const names = new Set(rows.map((row) => row.name))
  expect(laterRows.filter((name) => !names.has(name))).toEqual([])
})

test('every documented operation answers at its path, and below /v1 as well', async () => {
  for (const [template, operations] of Object.entries(contract().document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const documented = template.replaceAll(/\{\w+\}/g, 'nobody')
      for (const path of new Set([documented, documented.replace(/^\/api/, '')])) {
        const reply = await callBare(method, path)
        const expected = operation.security.length
          ? 'api_key_missing'
          : reply.body?.code === 'not_found'
            ? 'not_found'
            : null
        expect([method, path, reply.body?.code ?? null]).toEqual([method, path, expected])
      }
    }
})

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
  expect(() => assertMatchesContract('GET', '/v1/users/1', 404, { ...problem, code: 'otp_invalid' })).toThrow('/code')
  expect(() => assertMatchesContract('GET', '/nowhere', 404, { code: 'not_found' })).toThrow('/nowhere')
})
