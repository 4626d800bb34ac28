import { tags } from '../../contract/tags.ts'
import { mediaOf } from '../http/media.ts'
import type { Route } from '../http/route.ts'
import { isAnyCaller } from '../tenancy/authorize.ts'
import { callerKindOf, callerKinds } from '../tenancy/caller-kinds.ts'
import { requiresOrganization } from '../tenancy/resolve-directory.ts'
import { describeEvents } from './openapi-events.ts'
import { asExamples, exampleOf, idOf, noteRecords } from './openapi-examples.ts'
import { headerComponents } from './openapi-headers.ts'
import { describeMarkers } from './openapi-markers.ts'
import { describeBody, describeParameters, parameterComponents } from './openapi-parameters.ts'
import { describeRefusals, problemSchema } from './openapi-problems.ts'
import { collectRecurring, type Recurring } from './openapi-recurring.ts'
import { describeReplies, type Shared } from './openapi-replies.ts'
import { type Components, collectSchemas, type Json, type JsonObject, pascal, toJson } from './openapi-schemas.ts'

const INTRODUCTION = `Send the API key as \`X-API-Key\` or as a Bearer token. The security section of each route lists the
scopes that the key must have. A successful request returns status 200, unless the route says otherwise. An error
response is a problem document (RFC 9457) with a stable \`code\`. [The catalogue](/docs/errors) lists every code. If it
helps to wait, the response has \`Retry-After\`, in seconds. If the credentials are missing or wrong, \`WWW-Authenticate\`
says which credentials are required and what is wrong (RFC 6750 §3).

Every response has \`X-Request-Id\`, which identifies the request in log lines and events. If the request has an
\`X-Request-Id\` of 8 to 128 characters \`A-Za-z0-9._-\`, the service uses this value. Otherwise it creates one.

If a rate limit applies to the request, the response has \`RateLimit\`, such as \`"default";r=2;t=57\`: \`r\` is the number of
requests left, and \`t\` the seconds until the window starts again. \`RateLimit-Policy\`, such as \`"default";q=3;w=60\`, has the
limit \`q\` and its window \`w\` in seconds. The older headers \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and
\`X-RateLimit-Reset\` contain \`q\`, \`r\` and \`t\`.`

const SCIM_INTRODUCTION = `The SCIM 2.0 endpoint, which directories call to provision users and groups (RFC 7643, RFC 7644, RFC 9865). Send
the organization’s SCIM token as a Bearer token. \`POST /v1/scim/config\` of [the API](/docs) creates the token. The
endpoint describes itself at \`/ServiceProviderConfig\`, \`/ResourceTypes\` and \`/Schemas\`. An error response is a SCIM
error (RFC 7644 §3.12).`

/** The parts with separate documents, because their clients do not use each other's operations. */
export type OpenApiPart = 'api' | 'scim'

interface Options {
  /** The public URL of the service, without a trailing slash. */
  baseUrl: string
  version: string
  part: OpenApiPart
}

/** Data that operations share. */
interface Contract extends Shared {
  parameters: Recurring
}

/**
 * Builds the OpenAPI 3.1 document for the routes of a part. The same routes give the same text, so the committed file
 * can be compared. Throws if two operations have the same name.
 */
export function buildOpenApi(routes: Route[], { baseUrl, version, part }: Options): object {
  const isScim = part === 'scim'
  const components = collectSchemas()
  components.schemas.set('Problem', problemSchema)
  const records = new Map<string, Json>()
  const events = isScim ? { webhooks: {}, example: {} } : describeEvents(components, records)
  const contract: Contract = {
    components,
    responses: collectRecurring('responses'),
    parameters: collectRecurring('parameters'),
    given: { AnyEvent: events.example },
    records,
  }
  const shown = routes.filter(({ hidden, media }) => !hidden && (media === 'scim') === isScim)
  const paths: Record<string, JsonObject> = {}
  const operations = new Map<string, JsonObject>()
  for (const route of shown) {
    for (const [index, path] of [route.path, ...route.aliases].entries()) {
      const operationId = index === 0 ? route.operation : `${route.operation}.alias${index === 1 ? '' : index}`
      if (operations.has(operationId)) throw new Error(`Two operations have the name ${operationId}`)
      const operation = describeOperation(route, path, operationId, contract)
      // Set at the operation, because the reference page ignores servers of a path.
      if (!isScim && !path.startsWith('/v1/')) operation['servers'] = [{ url: baseUrl }]
      operations.set(operationId, operation)
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
    }
  }
  for (const operation of operations.values()) referToRecurring(operation, contract)
  const recurring = contract.responses.components()
  for (const [name, example] of contract.records)
    Object.assign(Object(components.schemas.get(name)), { examples: [example] })
  const schemas = reachable([paths, events.webhooks, recurring], components.schemas)
  const api = [{ url: `${baseUrl}/api` }, { url: baseUrl, description: 'The same routes without the prefix `/api`.' }]
  const kinds = isScim ? [callerKinds.scim] : [callerKinds.key, callerKinds.user]
  return {
    openapi: '3.1.0',
    info: {
      title: isScim ? 'Watchword SCIM' : 'Watchword',
      version,
      description: isScim ? SCIM_INTRODUCTION : INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: isScim ? [{ url: baseUrl }] : api,
    tags: describeTags(shown),
    paths,
    ...(isScim ? {} : { webhooks: events.webhooks }),
    components: {
      securitySchemes: Object.assign({}, ...kinds.map((kind) => kind.securitySchemes)),
      parameters: used({ ...parameterComponents, ...contract.parameters.components() }, paths),
      headers: used(headerComponents, { ...paths, ...recurring }),
      responses: recurring,
      schemas: sorted(schemas),
    },
  }
}

/** The tags of routes with their descriptions, in the order of the contract. */
function describeTags(shown: Route[]): Json[] {
  const used = new Set(shown.map(({ tag }) => tag))
  return Object.entries(tags).flatMap(([name, description]) =>
    [...used].some((tag) => tag === name) ? [{ name, description }] : [],
  )
}

/** The components that a part refers to. */
function used(components: Record<string, JsonObject>, part: JsonObject): Record<string, JsonObject> {
  const text = JSON.stringify(part)
  return Object.fromEntries(Object.entries(components).filter(([name]) => text.includes(`/${name}"`)))
}

/** The schemas to which these parts refer, directly or through other schemas. */
function reachable(parts: JsonObject[], schemas: Map<string, Json>): Map<string, Json> {
  const found = new Map<string, Json>()
  const texts = parts.map((part) => JSON.stringify(part))
  for (let text = texts.pop(); text !== undefined; text = texts.pop())
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas.get(name)
      if (schema === undefined || found.has(name)) continue
      found.set(name, schema)
      texts.push(JSON.stringify(schema))
    }
  return found
}

function sorted<T>(found: Map<string, T>): Record<string, T> {
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Which parts recur is known only after every operation was described. */
function referToRecurring(operation: JsonObject, { responses, parameters }: Contract): void {
  const described = Object.entries(toJson(operation.responses))
  operation.responses = Object.fromEntries(described.map(([status, response]) => [status, responses.refer(response)]))
  if (Array.isArray(operation.parameters))
    operation.parameters = operation.parameters.map((parameter) => parameters.refer(parameter) ?? parameter)
}

function describeOperation(route: Route, path: string, operationId: string, contract: Contract): JsonObject {
  const { components, responses, parameters: recurring, records } = contract
  const isAlias = path !== route.path
  const description = isAlias ? [`The same as \`${route.path}\`.`] : paragraphsOf(route)
  const parameters = describeParameters(route, components, recurring)
  return {
    operationId,
    tags: [route.tag],
    summary: isAlias ? `${route.summary} (alias)` : route.summary,
    ...(description.length ? { description: description.join('\n\n') } : {}),
    ...(route.media === 'scim' ? {} : describeMarkers(route, { isAlias })),
    security: securityOf(route),
    ...(parameters.length ? { parameters } : {}),
    ...describeRequest(route, components, records),
    responses: {
      ...describeReplies(route, contract),
      ...describeRefusals(route, components, responses),
    },
  }
}

function paragraphsOf(route: Route): string[] {
  const code = (words: string[]) => words.map((word) => `\`${word}\``).join(', ')
  const events = [...route.events, ...route.maybeEvents].map(({ type }) => type)
  return [
    ...(route.description ? [route.description] : []),
    ...(route.service ? [`Works only while the service ${code([route.service])} is on.`] : []),
    ...(events.length && route.media !== 'scim' ? [`Events: ${code(events)}.`] : []),
    ...(route.aliases.length ? [`Also at ${code(route.aliases)}.`] : []),
  ]
}

const FORM_TYPE = 'application/x-www-form-urlencoded'

function describeRequest(route: Route, components: Components, records: Map<string, Json>): JsonObject {
  if (!route.body || namesTenantAlone(route)) return {}
  if (route.auth === 'page') return { requestBody: { content: { [FORM_TYPE]: { schema: { type: 'object' } } } } }
  const body = describeBody(route)
  const schema = components.referAs(`${pascal(route.operation)}Request`, body)
  const shown = bodyExamplesOf(route, body)
  const [first] = Object.values(shown)
  noteRecords(body, first, records)
  const [plain = ''] = mediaOf(route.media).type.split(';')
  const type = route.media === 'form' ? FORM_TYPE : plain
  const message = route.messageField ? { 'message/rfc822': { schema: { type: 'string' } } } : {}
  return {
    requestBody: {
      required: Boolean(body.required),
      content: { [type]: { schema, ...asExamples(shown) }, ...message },
    },
  }
}

/** The named examples of a body. Each contains the organization if writes with an org-wide key require it. */
function bodyExamplesOf(route: Route, body: JsonObject): Record<string, Json> {
  const { body: own, bodies } = route.examples
  const composed = () => exampleOf(body, { of: 'body', place: `${route.operation} body` })
  const given = toJson(bodies ?? { default: own ?? composed() })
  const named = route.auth === 'key' && requiresOrganization(route) ? { subOrgId: idOf('id', 'organization') } : {}
  return Object.fromEntries(Object.entries(given).map(([name, example]) => [name, { ...named, ...Object(example) }]))
}

/**
 * Whether the body only names the organization. HTTP gives such a body no meaning (RFC 9110 §9.3.5), and generated
 * clients would ask for it. The query can name the organization as well.
 */
function namesTenantAlone({ method, body }: Route): boolean {
  const names = Object.keys(body?.properties ?? {})
  return method === 'DELETE' && names.length > 0 && names.every((name) => name === 'subOrgId' || name === 'scope')
}

/**
 * OpenAPI 3.1 lets any security scheme list required roles. The scope is listed at the first way of sending a key. The
 * schemes of one entry are sent together.
 */
function securityOf(route: Route): Json[] {
  const { securitySchemes = {}, accompanying = [] } = callerKindOf(route) ?? {}
  const scopes = route.scope === null || isAnyCaller(route.scope) ? [] : [route.scope]
  const ways = Object.keys(securitySchemes).map((name, at) => ({ [name]: at === 0 ? scopes : [] }))
  return [...ways, ...ways.flatMap((way) => accompanying.map((name) => ({ ...way, [name]: [] })))]
}
