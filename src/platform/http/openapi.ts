import type { TObject, TSchema } from 'typebox'
import { type ErrorFactory, httpErrors } from '../errors.ts'
import { keepsReplies } from './idempotency.ts'
import { problemSchema, referToResponses } from './openapi-problems.ts'
import type { Route } from './route.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }
type JsonObject = { [key: string]: Json | undefined }

const INTRODUCTION = `Every path below \`/api/v1\` answers at \`/v1\` too. Send the API key as \`X-API-Key\`, or as a Bearer token.
The scopes beside a route's security are those the key must hold. Success is 200. A refusal is a problem (RFC 9457) with a
stable \`code\`; [the catalogue](/docs/errors) lists every code.`

/**
 * The OpenAPI 3.1 document of the routes. The same routes give the same text, so that the committed file can be
 * compared. `baseUrl` is where the service is reached, without a slash at the end.
 */
export function buildOpenApi(routes: Route[], options: { baseUrl: string; version: string }): object {
  const paths: Record<string, JsonObject> = {}
  const responses: JsonObject = {}
  const names = new Set<string>()
  for (const route of routes) {
    for (const path of [route.path, ...route.aliases]) {
      const operation = describeOperation(route, path, nameOperation(route, path, names), responses)
      paths[documentedPath(path)] = { ...paths[documentedPath(path)], [route.method.toLowerCase()]: operation }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Watchword',
      version: options.version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.baseUrl }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key as a Bearer token.' },
      },
      schemas: { Problem: problemSchema },
      responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/** The path that the document gives a route: versioned ones are shown below `/api`. */
export function documentedPath(path: string): string {
  return path.startsWith('/v1/') ? `/api${path}` : path
}

function describeOperation(route: Route, path: string, operationId: string, responses: JsonObject): JsonObject {
  const alias = path === route.path ? null : `Alias of \`${documentedPath(route.path)}\`.`
  const events = [...route.events, ...route.maybeEvents].map((type) => `\`${type}\``)
  const description = [
    alias,
    route.description,
    route.service ? `Belongs to the service \`${route.service}\`.` : null,
    events.length ? `Events: ${events.join(', ')}.` : null,
  ]
  const operation: JsonObject = {
    operationId,
    tags: [route.tag],
    summary: alias ? `${route.summary} (alias)` : route.summary,
    description: description.filter((line) => line !== null).join('\n\n'),
    security: securityOf(route),
    parameters: parametersOf(route),
  }
  if (route.body) {
    const required = Boolean(toJson(route.body).required)
    operation.requestBody = { required, content: { 'application/json': contentOf(route.body, route.examples.body) } }
  }
  operation.responses = {
    '200': { description: 'Done.', content: { 'application/json': contentOf(route.reply, route.examples.reply) } },
    ...referToResponses(errorsOf(route), responses),
  }
  return operation
}

function contentOf(schema: TSchema, example: unknown): JsonObject {
  return { schema: toJson(schema), ...(example === undefined ? {} : { example: toJson(example) }) }
}

/** TypeBox schemas are JSON Schema; what else they carry does not survive JSON. */
function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value))
}

const ARTICLES = new Set(['a', 'an', 'the'])

/**
 * `Make a one-time code` → `makeOneTimeCode`; what follows a comma or bracket does not count. Aliases, and routes whose
 * summary another one has, add their path.
 */
function nameOperation(route: Route, path: string, taken: Set<string>): string {
  const [head = ''] = route.summary.split(/[,(:;]/)
  const words = head.replaceAll(/[’']s?/g, '').match(/[A-Za-z0-9]+/g) ?? []
  const kept = words.map((word) => word.toLowerCase()).filter((word) => !ARTICLES.has(word))
  const short = kept.map((word, index) => (index === 0 ? word : capitalize(word))).join('')
  const name = path === route.path && !taken.has(short) ? short : short + pathName(path)
  if (taken.has(name)) throw new Error(`${route.method} ${path} needs a summary of its own: ${name} is taken`)
  taken.add(name)
  return name
}

function pathName(path: string): string {
  const words = documentedPath(path).match(/[A-Za-z0-9]+/g) ?? []
  return `At${words
    .filter((word) => word !== 'api' && word !== 'v1')
    .map(capitalize)
    .join('')}`
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** OpenAPI 3.1 lets any security scheme name the roles that it takes. */
function securityOf(route: Route): Json[] {
  if (route.auth === 'public') return []
  const scopes = route.scope === null || route.scope === 'any key' ? [] : [route.scope]
  return [{ apiKey: scopes }, { bearer: scopes }]
}

const trustedDevice = header(
  'X-Trusted-Device',
  'trusted_device_token of the person’s device, which may stand for a second factor.',
  100,
)

function parametersOf(route: Route): Json[] {
  const found = [...fieldsAsParameters(route.params, 'path'), ...fieldsAsParameters(route.query, 'query')]
  if (route.auth === 'public') return found
  if (keepsReplies(route))
    found.push(header('Idempotency-Key', 'Answers a repeated request with the first answer, for 24 hours.', 255))
  if (honoursIfMatch(route))
    found.push(header('If-Match', 'The ETag the change is based on: refused when the record has changed since.'))
  return [
    ...found,
    header('X-End-User-IP', 'Address of the person the request is made for.'),
    header('X-End-User-Agent', 'User agent of the person the request is made for.', 512),
    ...(route.scope === 'auth.login' || route.scope === 'auth.signup' ? [trustedDevice] : []),
  ]
}

function fieldsAsParameters(schema: TObject, place: 'path' | 'query'): JsonObject[] {
  const { properties = {}, required } = toJson(schema)
  const names = Array.isArray(required) ? required : []
  return Object.entries(properties as JsonObject).map(([name, field]) => {
    const { description, ...rest } = toJson(field)
    const described = description === undefined ? {} : { description }
    return { name, in: place, required: place === 'path' || names.includes(name), ...described, schema: rest }
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
  return route.errors.some((factory) => factory.code === httpErrors.versionConflict.code)
}

/** What a route may refuse with: its own errors, and those of the pipeline's steps that it passes. */
export function errorsOf(route: Route): ErrorFactory[] {
  const keyed = route.auth === 'key'
  const one = route.directory === 'one'
  const scoped = keyed && route.scope !== 'any key'
  const steps: (readonly [boolean, ErrorFactory[]])[] = [
    [true, [httpErrors.invalidRequest, httpErrors.notAcceptable, httpErrors.internal, httpErrors.unavailable]],
    [
      keyed,
      [httpErrors.apiKeyMissing, httpErrors.apiKeyInvalid, httpErrors.apiKeyExpired, httpErrors.credentialConflict],
    ],
    [keyed, [httpErrors.rateLimited, httpErrors.subOrgMismatch, httpErrors.organizationNotFound]],
    [scoped, [httpErrors.insufficientScope]],
    [keyed && one && route.method !== 'GET', [httpErrors.subOrgRequired]],
    [keyed && route.service !== null, [httpErrors.serviceDisabled]],
    [keyed && route.body !== null, [httpErrors.subOrgConflict]],
    [route.method !== 'GET', [httpErrors.invalidJson, httpErrors.payloadTooLarge, httpErrors.unsupportedMediaType]],
    [keyed && keepsReplies(route), [httpErrors.idempotencyInProgress, httpErrors.idempotencyKeyReused]],
  ]
  const all = [...steps.flatMap(([applies, factories]) => (applies ? factories : [])), ...route.errors]
  return [...new Map(all.map((factory) => [factory.code, factory])).values()]
}
