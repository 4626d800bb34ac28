import { expect, test } from 'vitest'
import { eventCatalogue } from '../src/platform/events.ts'
import { buildOpenApi } from '../src/platform/http/openapi.ts'
import { formatJson } from '../src/platform/http/openapi-text.ts'
import { routes } from '../src/routes.ts'
import { contract, type Operation, operations } from './contract.ts'

const { document, ajv } = contract()
const text = formatJson(document)

/** Every schema of the document, with where it stands. */
function schemasWithin(value: unknown, place: string): { place: string; schema: object }[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, item]) => schemasWithin(item, `${place}/${key}`))
  return 'type' in value || 'anyOf' in value || 'allOf' in value ? [{ place, schema: value }, ...inner] : inner
}

test('operations have names of their own, of nouns and a verb', () => {
  const names = operations().map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]*(\.[a-z][A-Za-z0-9]*)+$/)
  const [route] = routes
  expect(() =>
    buildOpenApi(route ? [route, { ...route, path: '/other' }] : [], { baseUrl: 'http://x', version: '1' }),
  ).toThrow('Two operations have the name')
})

test('every request body and every answer has an example that fits its schema', () => {
  const misfits = operations().flatMap(({ template, method, operation }) => {
    const at = ['paths', template, method].map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    return examplesOf(operation).flatMap(({ place, content }) => {
      const [[type, media] = ['', undefined]] = Object.entries(content)
      if (type === 'text/html' || type === 'application/x-www-form-urlencoded') return []
      if (!media || media.example === undefined) return [`${operation.operationId} ${place}: no example`]
      const pointer = encodeURI(`openapi#/${at}/${place}/content/${type.replaceAll('/', '~1')}/schema`)
      const validate = ajv.getSchema(pointer)
      if (validate?.(media.example)) return []
      return [`${operation.operationId} ${place}: ${JSON.stringify(validate?.errors?.[0])}`]
    })
  })
  expect(misfits).toEqual([])
})

function examplesOf({ requestBody, responses }: Operation) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2') && status !== '204')
  return [
    ...(requestBody ? [{ place: 'requestBody', content: requestBody.content }] : []),
    ...successes.map(([status, { content = {} }]) => ({ place: `responses/${status}`, content })),
  ]
}

test('every event of the catalogue is a webhook', () => {
  expect(Object.keys(document.webhooks)).toEqual(eventCatalogue().map(({ type }) => type))
})

test('is small enough to read, and says nothing long twice', () => {
  expect(Buffer.byteLength(text)).toBeLessThan(500 * 1000)
  const long = schemasWithin({ paths: document.paths, components: document.components }, '').filter(
    ({ schema }) => JSON.stringify(schema, null, 2).split('\n').length > 30,
  )
  const byText = Map.groupBy(long, ({ schema }) => JSON.stringify(schema))
  const twice = [...byText.values()].filter((group) => group.length > 1).map((group) => group.map(({ place }) => place))
  expect(twice, 'give it a name with `named`').toEqual([])
})

test('names are such that generators of every language take them', () => {
  const names = [...Object.keys(document.components.schemas), ...Object.keys(document.components.responses)]
  for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z0-9]*$/)
})

test('patterns are such that Python, Go and Java compile them too', () => {
  const patterns = [...text.matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)].map(([, found = '""']) =>
    String(JSON.parse(found)),
  )
  expect(patterns.length).toBeGreaterThan(3)
  // RE2 has no lookaround and no back-references; `re` no Unicode classes; neither knows `\\u`.
  for (const pattern of patterns) expect(pattern).not.toMatch(/\\[pP]\{|\(\?[=!<]|\\[1-9]|\\u/)
})
