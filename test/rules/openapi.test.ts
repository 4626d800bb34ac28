import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { eventCatalogue } from '../../src/platform/events/events.ts'
import { isId } from '../../src/platform/ids.ts'
import { buildOpenApi } from '../../src/platform/openapi/openapi.ts'
import { pascal } from '../../src/platform/openapi/openapi-schemas.ts'
import { formatJson } from '../../src/platform/openapi/openapi-text.ts'
import { routes } from '../../src/wiring/routes.ts'
import { contract, documents, escapePointer, type Media, operations, responseOf } from './contract.ts'
import { readSources } from './source.ts'

const { document, ajv } = contract()
const text = formatJson(document)

/** Every schema of the document, with where it stands. */
function schemasWithin(value: unknown, place: string): { place: string; schema: object }[] {
  if (typeof value !== 'object' || value === null) return []
  const isExample = (key: string, item: unknown) => key === 'example' || (key === 'examples' && Array.isArray(item))
  const inner = Object.entries(value).flatMap(([key, item]) =>
    isExample(key, item) ? [] : schemasWithin(item, `${place}/${key}`),
  )
  return 'type' in value || 'anyOf' in value || 'allOf' in value ? [{ place, schema: value }, ...inner] : inner
}

test('operations have names of their own, of nouns and a verb', () => {
  const names = operations().map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]*(\.[a-z][A-Za-z0-9]*)+$/)
  const [route] = routes
  expect(() =>
    buildOpenApi(route ? [route, { ...route, path: '/other' }] : [], {
      baseUrl: 'http://x',
      version: '1',
      part: 'api',
    }),
  ).toThrow('Two operations have the name')
})

test('every request body and every answer has an example that fits its schema', () => {
  const misfits = operations().flatMap((found) =>
    examplesOf(found).flatMap(({ place, content }) => {
      const [[type, media] = ['', undefined]] = Object.entries(content)
      if (type === 'text/html' || type === 'application/x-www-form-urlencoded') return []
      const name = `${found.operation.operationId} ${place}`
      const shown = media ? shownIn(media) : []
      if (shown.length === 0) return [`${name}: no example`]
      const validate = ajv.getSchema(`openapi#/${place}/content/${escapePointer(type)}/schema`)
      return shown.flatMap((example) =>
        validate?.(example) ? [] : [`${name}: ${JSON.stringify(validate?.errors?.[0])}`],
      )
    }),
  )
  expect(misfits).toEqual([])
})

test('every example of a schema fits it', () => {
  const shown = schemasWithin(document.components.schemas, 'components/schemas').flatMap(({ place, schema }) =>
    'examples' in schema && Array.isArray(schema.examples) ? [{ place, example: schema.examples[0] }] : [],
  )
  expect(shown.length).toBeGreaterThan(50)
  const misfits = shown.filter(({ place, example }) => !ajv.getSchema(`openapi#/${place}`)?.(example))
  expect(misfits).toEqual([])
})

/** The examples of a media type. */
function shownIn({ example, examples }: Media): unknown[] {
  return examples ? Object.values(examples).map(({ value }) => value) : [example].filter((one) => one !== undefined)
}

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
      // A member's `id` is their `membershipId`.
      const ids = Object.entries(example).filter(
        ([name, value]) => /^id$|Id$|_id$/.test(name) && name !== 'membershipId' && isId(String(value)),
      )
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
  return contents.flatMap((content) => shownIn(content).flatMap(objectsWithin))
}

function objectsWithin(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsWithin)
  return Array.isArray(value) ? inner : [{ ...value }, ...inner]
}

test('a webhook receives every event of the catalogue; its examples are of its type and of no other', () => {
  const events = eventCatalogue()
  const [webhook, ...others] = Object.values(document.webhooks ?? {})
  expect([webhook?.post.security, others]).toEqual([[], []])
  expect(webhook?.post.requestBody?.content['application/json']?.schema).toEqual(ANY_EVENT)
  const refs: { $ref: string }[] = Object(document.components.schemas['AnyEvent']).oneOf
  const described = refs.map(({ $ref }) => eventSchema($ref))
  expect(described.flatMap(({ types }) => types).toSorted()).toEqual(events.map(({ type }) => type).toSorted())
  const feed = document.paths['/v1/events']?.get?.responses['200']?.content?.['application/json']
  const [envelope] = Object(feed?.example).events
  const isAny = ajv.getSchema('openapi#/components/schemas/AnyEvent')
  for (const { types, data } of described)
    for (const type of types) {
      const event = events.find((event) => event.type === type)
      const example = { ...envelope, type, data: { ...exampleOfData(data), ...event?.example } }
      expect([type, isAny?.(example), isAny?.errors]).toEqual([type, true, null])
      expect(isAny?.({ ...example, type: 'no.such' })).toBe(false)
    }
  const [about] = described.filter(({ types }) => types.includes('user.updated'))
  expect(about).toMatchObject({ types: expect.arrayContaining(['user.created', 'user.deleted']), data: USER })
})

const ANY_EVENT = { $ref: '#/components/schemas/AnyEvent' }
const USER = { $ref: '#/components/schemas/User' }

interface DataSchema {
  $ref?: string
  examples?: object[]
}

/** The types of events that a schema is of, and the schema of their data. */
function eventSchema(ref: string): { types: string[]; data: DataSchema } {
  const [, { properties }] = schemaAt(ref).allOf
  const { type, data } = properties
  return { types: type.enum ?? [type.const], data }
}

const schemaAt = (ref: string) => Object(document.components.schemas[ref.split('/').at(-1) ?? ''])

/** The example of an event's data: its own, or that of the record. */
function exampleOfData({ $ref = '', examples = schemaAt($ref).examples }: DataSchema): object {
  const [example] = examples
  return { ...example }
}

test('an example of an event has no member that its data does not have', () => {
  for (const { type, data, example } of eventCatalogue()) {
    const { properties = {}, additionalProperties } = Object(data)
    // What a change of settings may have is what the settings have.
    const known = additionalProperties === true ? settingNames(type) : Object.keys(properties)
    expect([type, Object.keys(example).filter((name) => !known.includes(name))]).toEqual([type, []])
  }
})

/** The names of the family of settings whose change an event records. */
function settingNames(type: string): string[] {
  const [family = ''] = type.split('.')
  return Object.keys(Object(document.components.schemas[`${pascal(family)}Settings`]).properties)
}

test('a route has only the refusals of the steps that its requests pass', () => {
  for (const found of operations()) {
    const { operationId, requestBody, security, responses, parameters = [] } = found.operation
    const text = Object.keys(responses).map((status) => responseOf(found, status)?.response.description)
    const codes = new Set(text.join().match(/(?<=`)[a-z_]+(?=`)/g))
    const keyed = security.some((scheme) => 'apiKey' in scheme && !('accessToken' in scheme))
    // That of a DELETE with a key may name the organization, which the document leaves to the query.
    const takesBody = requestBody !== undefined || (keyed && found.method === 'delete')
    const expected = {
      payload_too_large: takesBody,
      unsupported_media_type: takesBody,
      // Beside an access token as well.
      api_key_missing: security.some((scheme) => 'apiKey' in scheme),
      sub_org_mismatch: keyed,
      // A query may name the whole environment beside an organization.
      sub_org_conflict: keyed && (takesBody || parameters.some((each) => Object.values(each).includes('scope'))),
      // Where any key will do, a member of the team must be one who may sign users in.
      insufficient_scope: keyed,
      idempotency_in_progress: parameters.some(({ $ref = '' }) => $ref.endsWith('/IdempotencyKey')),
      access_token_missing: security.some((scheme) => 'accessToken' in scheme),
    }
    const claimed = Object.fromEntries(Object.keys(expected).map((code) => [code, codes.has(code)]))
    expect([operationId, claimed]).toEqual([operationId, expected])
  }
})

test('is small enough to read, and says nothing long twice', () => {
  // As it is served, before compression.
  for (const document of documents) expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(1000 * 1000)
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

test('a route that reads If-Match declares the conflict, by which the documentation knows', () => {
  const blocks = readSources('src')
    .filter((file) => file.path.endsWith('/routes.ts'))
    .flatMap((file) => file.text.split('defineRoute({').map((text) => ({ path: file.path, text })))
  const reading = blocks.filter(({ text }) => /\bifMatch\b/.test(text))
  expect(reading.length).toBeGreaterThan(0)
  expect(reading.filter(({ text }) => !text.includes('httpErrors.versionConflict')).map(({ path }) => path)).toEqual([])
})

test('what a PATCH compares with If-Match, a DELETE of the same path compares too', () => {
  const compares = (route: (typeof routes)[number]) => route.errors.some(({ code }) => code === 'version_conflict')
  const versioned = new Set(
    routes.filter((route) => route.method === 'PATCH' && compares(route)).map(({ path }) => path),
  )
  const deleting = routes.filter(({ method, path }) => method === 'DELETE' && versioned.has(path))
  expect(deleting.length).toBeGreaterThan(5)
  expect(deleting.filter((route) => !compares(route)).map(({ path }) => path)).toEqual([])
})

test('the schemas of routes and of events are schemas, which the service takes for granted', () => {
  const ajv = new Ajv({ strict: false })
  const ofRoutes = routes.flatMap(({ path, params, query, body, replies }) =>
    [params, query, body ?? {}, ...Object.values(replies)].map((schema) => ({ name: path, schema })),
  )
  const ofEvents = eventCatalogue().map(({ type, data }) => ({ name: type, schema: data }))
  const all = [...ofRoutes, ...ofEvents]
  expect(all.filter(({ schema }) => ajv.validateSchema(schema) !== true).map(({ name }) => name)).toEqual([])
})
