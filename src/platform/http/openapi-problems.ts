import { type ErrorDefinition, httpErrors } from '../errors.ts'
import { errorsOf } from './openapi-errors.ts'
import { type Components, type JsonObject, pascal } from './openapi-schemas.ts'
import type { Route } from './route.ts'

/** The one error shape (RFC 9457) as JSON Schema. */
export const problemSchema = {
  type: 'object',
  description: 'A refusal (RFC 9457). Branch on `code`; further members depend on it.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Documentation of the code.' },
    title: { type: 'string', description: 'The general case.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'This occurrence and what to do about it.' },
    code: { type: 'string', description: 'Stable.' },
    request_id: { type: 'string', description: 'Identifies the request in log lines and events; also X-Request-Id.' },
    errors: {
      type: 'array',
      description: 'The invalid fields, with `invalid_request`.',
      items: {
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
    retry_after: { type: 'integer', description: 'Seconds to wait, with status 429; also Retry-After.' },
  },
}

const STATUS_NAMES: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
}

const ofPipeline = new Set(Object.values(httpErrors).map(({ code }) => code))

/** The refusals of routes, composed from codes by status. */
export interface ProblemResponses {
  /** `components.responses`. */
  responses: Map<string, JsonObject>
  /** The responses of a route. */
  of(route: Route): JsonObject
}

/**
 * Collects problems. Each code has its own schema. The refusals of the steps before a handler are the same for all
 * routes of a kind and appear once per status; a route adds its own codes to them.
 */
export function collectProblems({ schemas }: Components, routes: Route[]): ProblemResponses {
  const responses = new Map<string, JsonObject>()
  const shared = Map.groupBy(
    routes.flatMap((route) => pipelineErrorsOf(route).map((error) => ({ kind: route.auth, error }))),
    ({ kind, error }) => `${kind} ${error.status}`,
  )

  function referTo(error: ErrorDefinition): JsonObject {
    const name = `${pascal(error.code)}Problem`
    schemas.set(name, {
      allOf: [
        { $ref: '#/components/schemas/Problem' },
        { type: 'object', properties: { code: { type: 'string', const: error.code } } },
      ],
    })
    return { $ref: `#/components/schemas/${name}` }
  }

  /** The schema of a status's shared part: a single code, or any of several, named after kind and status. */
  function referToShared(route: Route, status: number): { ref: JsonObject; codes: ErrorDefinition[]; name: string } {
    const found = shared.get(`${route.auth} ${status}`)?.map(({ error }) => error) ?? []
    const codes = [...new Map(found.map((error) => [error.code, error])).values()].sort(byCode)
    const [only] = codes
    if (codes.length === 1 && only) return { ref: referTo(only), codes, name: pascal(only.code) }
    const name = `${pascal(route.auth)}${STATUS_NAMES[status] ?? status}`
    schemas.set(`${name}Problem`, { anyOf: codes.map(referTo) })
    return { ref: { $ref: `#/components/schemas/${name}Problem` }, codes, name }
  }

  function respond(codes: ErrorDefinition[], refs: JsonObject[]): JsonObject {
    const [only] = refs
    const schema = refs.length === 1 && only ? only : { anyOf: refs }
    const description = codes.map((error) => `\`${error.code}\`: ${error.title}.`).join(' ')
    return { description, content: { 'application/problem+json': { schema } } }
  }

  function keep(name: string, response: JsonObject): JsonObject {
    responses.set(name, response)
    return { $ref: `#/components/responses/${name}` }
  }

  function ofStatus(route: Route, status: number, errors: ErrorDefinition[]): JsonObject {
    const own = errors.filter((error) => !ofPipeline.has(error.code)).sort(byCode)
    const common = own.length < errors.length ? referToShared(route, status) : null
    if (common && own.length === 0) return keep(common.name, respond(common.codes, [common.ref]))
    const [only] = own
    if (!common && own.length === 1 && only) return keep(pascal(only.code), respond(own, [referTo(only)]))
    return respond([...own, ...(common?.codes ?? [])], [...own.map(referTo), ...(common ? [common.ref] : [])])
  }

  return {
    responses,
    of(route) {
      const byStatus = [...Map.groupBy(errorsOf(route), (error) => error.status)].sort(([a], [b]) => a - b)
      return Object.fromEntries(byStatus.map(([status, errors]) => [String(status), ofStatus(route, status, errors)]))
    },
  }
}

function byCode(a: ErrorDefinition, b: ErrorDefinition): number {
  return a.code < b.code ? -1 : 1
}

function pipelineErrorsOf(route: Route): ErrorDefinition[] {
  return errorsOf(route).filter((error) => ofPipeline.has(error.code))
}
