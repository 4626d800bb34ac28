import { expect, test } from 'vitest'
import { eventCatalogue } from '../src/platform/events.ts'
import { buildOpenApi } from '../src/platform/http/openapi.ts'
import { formatJson } from '../src/platform/http/openapi-text.ts'
import { isId } from '../src/platform/ids.ts'
import { routes } from '../src/routes.ts'
import { contract, escapePointer, operations, responseOf } from './contract.ts'

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
  const misfits = operations().flatMap((found) =>
    examplesOf(found).flatMap(({ place, content }) => {
      const [[type, media] = ['', undefined]] = Object.entries(content)
      if (type === 'text/html' || type === 'application/x-www-form-urlencoded') return []
      const name = `${found.operation.operationId} ${place}`
      if (!media || media.example === undefined) return [`${name}: no example`]
      const validate = ajv.getSchema(`openapi#/${place}/content/${escapePointer(type)}/schema`)
      if (validate?.(media.example)) return []
      return [`${name}: ${JSON.stringify(validate?.errors?.[0])}`]
    }),
  )
  expect(misfits).toEqual([])
})

type Found = ReturnType<typeof operations>[number]

/** The contents of an operation's body and successes, each with its place in the document. */
function examplesOf(found: Found) {
  const { template, method, operation } = found
  const { requestBody, responses } = operation
  const statuses = Object.keys(responses).filter((status) => status.startsWith('2') && status !== '204')
  const replies = statuses.flatMap((status) => responseOf(found, status) ?? [])
  const body = `paths/${escapePointer(template)}/${method}/requestBody`
  return [
    ...(requestBody ? [{ place: body, content: requestBody.content }] : []),
    ...replies.map(({ place, response }) => ({ place, content: response.content ?? {} })),
  ]
}

test('examples do not contradict themselves', () => {
  const faults = operations().flatMap((found) =>
    exampleObjectsOf(found).flatMap((example) => {
      const { has_more: hasMore, next_cursor: cursor, total, created_at: created, expires_at: expires } = example
      const rows = Object.values(example).find((value) => Array.isArray(value)) ?? []
      const ids = Object.entries(example).filter(([name, value]) => /^id$|Id$|_id$/.test(name) && isId(String(value)))
      const orders = [
        [created, expires],
        [example['createdAt'], example['updatedAt']],
        [example['createdAt'], example['expiresAt']],
      ].filter(([before, after]) => typeof before === 'string' && typeof after === 'string' && before > after)
      return [
        ...(hasMore === true || (hasMore === false && total !== undefined && total !== rows.length) ? ['list'] : []),
        ...(hasMore === false && 'total' in example && cursor !== null ? ['cursor'] : []),
        ...(new Set(ids.map(([, id]) => id)).size < ids.length ? ['ids'] : []),
        ...(orders.length || (created !== undefined && created === expires) ? ['times'] : []),
      ].map((fault) => `${found.operation.operationId}: ${fault} in ${JSON.stringify(example)}`)
    }),
  )
  expect(faults).toEqual([])
})

/** Every object within the examples of an operation. */
function exampleObjectsOf(found: Found): Record<string, unknown>[] {
  const contents = examplesOf(found).flatMap(({ content }) => Object.values(content))
  return contents.flatMap(({ example }) => objectsWithin(example))
}

function objectsWithin(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsWithin)
  return Array.isArray(value) ? inner : [{ ...value }, ...inner]
}

test('every event of the catalogue is a webhook; examples, one of each resource, are of its type and of no other', () => {
  const events = eventCatalogue()
  expect(Object.keys(document.webhooks)).toEqual(events.map(({ type }) => type))
  for (const { post } of Object.values(document.webhooks)) expect(post.security).toEqual([])
  const shown = events.filter(({ type }) => dataExampleOf(type) !== undefined)
  const resources = new Set(shown.map(({ data }) => data))
  const others = events.filter((event) => !shown.includes(event))
  expect(others.filter(({ data, example }) => !resources.has(data) || Object.keys(example).length)).toEqual([])
  expect(shown.length).toBeGreaterThan(30)
  const feed = document.paths['/v1/events']?.get?.responses['200']?.content?.['application/json']?.example
  const [envelope] = Object(feed).events
  const isAny = ajv.getSchema('openapi#/components/schemas/AnyEvent')
  for (const { type } of shown) {
    const example = { ...envelope, type, data: dataExampleOf(type) }
    expect([type, isAny?.(example), isAny?.errors]).toEqual([type, true, null])
    expect(isAny?.({ ...example, type: 'no.such' })).toBe(false)
  }
})

/** The example of the data of an event, as its schema has it. */
function dataExampleOf(type: string): unknown {
  const content = document.webhooks[type]?.post.requestBody?.content['application/json']
  const name = String(Object(content?.schema).$ref).split('/').at(-1) ?? ''
  const [, { properties }] = Object(document.components.schemas[name]).allOf
  expect(properties.type.const).toBe(type)
  return properties.data.examples?.[0]
}

test('a route has only the refusals of the steps that its requests pass', () => {
  for (const found of operations()) {
    const { operationId, requestBody, security, responses, parameters = [] } = found.operation
    const text = Object.keys(responses).map((status) => responseOf(found, status)?.response.description)
    const codes = new Set(text.join().match(/(?<=`)[a-z_]+(?=`)/g))
    const keyed = security.some((scheme) => 'apiKey' in scheme)
    const expected = {
      payload_too_large: requestBody !== undefined,
      unsupported_media_type: requestBody !== undefined,
      api_key_missing: keyed,
      sub_org_mismatch: keyed,
      sub_org_conflict: keyed && requestBody !== undefined,
      insufficient_scope: security.some(({ apiKey = [] }) => apiKey.length > 0),
      idempotency_in_progress: parameters.some(({ $ref = '' }) => $ref.endsWith('/IdempotencyKey')),
      access_token_missing: security.some((scheme) => 'accessToken' in scheme),
    }
    const claimed = Object.fromEntries(Object.keys(expected).map((code) => [code, codes.has(code)]))
    expect([operationId, claimed]).toEqual([operationId, expected])
  }
})

test('is small enough to read, and says nothing long twice', () => {
  // As it is served; the file in the repository is laid out for those who read changes.
  expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(500 * 1000)
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
