import type { TObject } from 'typebox'
import { type ErrorFactory, httpErrors } from '../errors.ts'
import { eventEnvelope } from '../event-envelope.ts'
import { type EventDefinition, eventCatalogue } from '../events.ts'
import { mediaOf } from './media.ts'
import { exampleOf } from './openapi-examples.ts'
import { collectProblems, type ProblemResponses, problemSchema } from './openapi-problems.ts'
import { type Components, collectSchemas, type Json, type JsonObject, pascal, toJson } from './openapi-schemas.ts'
import type { Route } from './route.ts'

const INTRODUCTION = `Send the API key as \`X-API-Key\`, or as a Bearer token. The scopes listed with a route's security are those the key
must have. Success is 200 unless a route says otherwise. A refusal is a problem (RFC 9457) with a stable \`code\`;
[the catalogue](/docs/errors) lists every code.`

interface Options {
  /** The public URL of the service, without a trailing slash. */
  baseUrl: string
  version: string
}

/** What operations share. */
interface Contract {
  components: Components
  problems: ProblemResponses
}

/**
 * The OpenAPI 3.1 document of the routes. The same routes give the same text, so the committed file can be compared.
 * Throws when two operations share a name.
 */
export function buildOpenApi(routes: Route[], { baseUrl, version }: Options): object {
  const components = collectSchemas()
  components.schemas.set('Problem', problemSchema)
  const shown = routes.filter((route) => !route.hidden)
  const contract: Contract = { components, problems: collectProblems(components, shown) }
  const paths: Record<string, JsonObject> = {}
  const operations = new Set<string>()
  for (const route of shown) {
    for (const [index, path] of [route.path, ...route.aliases].entries()) {
      const operationId = index === 0 ? route.operation : `${route.operation}.alias${index === 1 ? '' : index}`
      if (operations.has(operationId)) throw new Error(`Two operations have the name ${operationId}`)
      operations.add(operationId)
      const item = paths[path] ?? (path.startsWith('/v1/') ? {} : { servers: [{ url: baseUrl }] })
      paths[path] = { ...item, [route.method.toLowerCase()]: describeOperation(route, path, operationId, contract) }
    }
  }
  const webhooks = Object.fromEntries(eventCatalogue().map((event) => [event.type, describeEvent(event, components)]))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Watchword',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${baseUrl}/api` }, { url: baseUrl, description: 'The same without the prefix.' }],
    tags: [...new Set(shown.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a Bearer token.' },
        accessToken: { type: 'http', scheme: 'bearer', description: 'The access token of an end user.' },
      },
      parameters,
      schemas: sorted(components.schemas),
      responses: sorted(contract.problems.responses),
    },
  }
}

function sorted<T>(found: Map<string, T>): Record<string, T> {
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function describeOperation(route: Route, path: string, operationId: string, contract: Contract): JsonObject {
  const alias = path === route.path ? null : `Alias of \`${route.path}\`.`
  const events = [...route.events, ...route.maybeEvents].map(({ type }) => `\`${type}\``)
  const description = [
    alias,
    route.description,
    route.service ? `Belongs to the service \`${route.service}\`.` : null,
    events.length ? `Events: ${events.join(', ')}.` : null,
  ].filter((line) => line !== null)
  const parameters = parametersOf(route, contract.components)
  return {
    operationId,
    tags: [route.tag],
    summary: alias ? `${route.summary} (alias)` : route.summary,
    ...(description.length ? { description: description.join('\n\n') } : {}),
    security: securityOf(route),
    ...(parameters.length ? { parameters } : {}),
    ...requestOf(route, contract.components),
    responses: { ...repliesOf(route, contract.components), ...contract.problems.of(route) },
  }
}

function requestOf(route: Route, components: Components): JsonObject {
  if (!route.body) return {}
  if (route.auth === 'page') return { requestBody: { content: { [FORM_TYPE]: { schema: { type: 'object' } } } } }
  const required = Boolean(toJson(route.body).required)
  const schema = components.referAs(`${pascal(route.operation)}Request`, route.body)
  const example = route.examples.body ?? exampleOf(toJson(route.body), 'body', `${route.operation} body`)
  const type = route.media === 'form' ? FORM_TYPE : plainType(route)
  return { requestBody: { required, content: { [type]: { schema, example: toJson(example) } } } }
}

const FORM_TYPE = 'application/x-www-form-urlencoded'

function plainType(route: Route): string {
  const [type = ''] = mediaOf(route.media).type.split(';')
  return type
}

function repliesOf(route: Route, components: Components): JsonObject {
  const replies = Object.entries(route.replies).map(([code, reply]) => {
    if (code === '204') return [code, { description: 'Done; no content.' }] as const
    const name = `${pascal(route.operation)}Reply${code === '200' ? '' : code}`
    const schema = components.referAs(name, reply)
    const own = code === '200' ? route.examples.reply : undefined
    const example = own ?? exampleOf(toJson(reply), 'answer', `${route.operation} answer`)
    const content = { [plainType(route)]: { schema, example: toJson({ example }).example } }
    return [code, { description: 'Done.', content }] as const
  })
  const page: JsonObject = {
    '200': { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } },
  }
  const redirect: JsonObject = { [route.method === 'GET' ? '302' : '303']: { description: 'A redirect.' } }
  return {
    ...Object.fromEntries(replies),
    ...(route.auth === 'page' ? page : {}),
    ...(route.redirects ? redirect : {}),
  }
}

/** An event of one type, as a webhook receives it and `GET /v1/events` shows it. */
function describeEvent(event: EventDefinition, components: Components): JsonObject {
  const envelope = components.referAs('Event', eventEnvelope)
  const name = `${pascal(event.type)}Event`
  const data = components.refer(event.data)
  components.schemas.set(name, {
    allOf: [envelope, { type: 'object', properties: { type: { type: 'string', const: event.type }, data } }],
  })
  return {
    post: {
      operationId: `on.${event.type}`,
      summary: event.help,
      security: [],
      requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
      responses: { '200': { description: 'Any 2xx acknowledges receipt.' } },
    },
  }
}

/** OpenAPI 3.1 lets any security scheme name the roles it requires. */
function securityOf(route: Route): Json[] {
  if (route.auth === 'public' || route.auth === 'page') return []
  if (route.auth === 'user') return [{ accessToken: [] }]
  const scopes = route.scope === null || route.scope === 'any key' ? [] : [route.scope]
  return [{ apiKey: scopes }, { bearer: scopes }]
}

const parameters: Record<string, JsonObject> = {
  IdempotencyKey: header('Idempotency-Key', 'Answers a repeated request with the first answer, for 24 hours.', 255),
  IfMatch: header('If-Match', 'The ETag the change is based on: refused if the record has changed since.'),
  EndUserIp: header('X-End-User-IP', 'IP address of the end user the request is made for.'),
  EndUserAgent: header('X-End-User-Agent', 'User agent of the end user the request is made for.', 512),
  TrustedDevice: header(
    'X-Trusted-Device',
    'The trusted_device_token of the end user’s device, which may replace a second factor.',
    100,
  ),
  SubOrgId: {
    name: 'subOrgId',
    in: 'query',
    required: false,
    description: 'Organization. Required on writes with an org-wide key.',
    schema: { type: 'string' },
  },
}

function parametersOf(route: Route, components: Components): Json[] {
  const own = [
    ...fieldsAsParameters(route.params, 'path', components),
    ...fieldsAsParameters(route.query, 'query', components),
  ].filter(({ name, in: place }) => name !== 'subOrgId' || place === 'path')
  const shared = {
    SubOrgId: route.scope !== null,
    IdempotencyKey: route.idempotency,
    IfMatch: honoursIfMatch(route),
    EndUserIp: route.auth === 'key',
    EndUserAgent: route.auth === 'key',
    TrustedDevice: route.takesDevice,
  }
  const refs = Object.entries(shared).flatMap(([name, applies]) =>
    applies ? [{ $ref: `#/components/parameters/${name}` }] : [],
  )
  return [...own, ...refs]
}

function fieldsAsParameters(schema: TObject, place: 'path' | 'query', components: Components): JsonObject[] {
  const { properties = {}, required } = toJson(schema)
  const names = Array.isArray(required) ? required : []
  return Object.entries(properties as JsonObject).map(([name, field]) => {
    const { description, ...rest } = toJson(field)
    const described = description === undefined ? {} : { description }
    const schema = components.refer(rest)
    return { name, in: place, required: place === 'path' || names.includes(name), ...described, schema }
  })
}

function header(name: string, description: string, maxLength?: number): JsonObject {
  return {
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...(maxLength ? { maxLength } : {}) },
  }
}

function honoursIfMatch(route: Route): boolean {
  return route.errors.some((factory: ErrorFactory) => factory.code === httpErrors.versionConflict.code)
}
