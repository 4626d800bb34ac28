import type { ErrorDefinition } from '../errors.ts'
import { mediaOf } from '../http/media.ts'
import type { Route } from '../http/route.ts'
import { errorsOf, type Step, stepsOf } from './openapi-errors.ts'
import type { Recurring } from './openapi-recurring.ts'
import { type Components, type JsonObject, pascal } from './openapi-schemas.ts'

/** The one form of errors (RFC 9457) as JSON Schema, for problems of every code. */
export const problemSchema = {
  type: 'object',
  description: 'An error response (RFC 9457). Branch on `code`. Some codes have additional members.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'The page that documents the code.' },
    title: { type: 'string', description: 'The problem in a few words: the same for every request with this code.' },
    status: { type: 'integer', description: 'The HTTP status of the response.' },
    detail: {
      type: 'string',
      description: 'What is wrong with this request, and how to fix it. The wording may change.',
    },
    code: { type: 'string', description: 'The kind of problem. Codes never change: branch on this field.' },
    request_id: {
      type: 'string',
      description:
        'Identifies the request in log lines and events. Send it along when you contact support. Same value as the header `X-Request-Id`.',
    },
  },
}

const ANY_PROBLEM = { $ref: '#/components/schemas/Problem' }

/** The refusals of a route with one status, or with any other status. */
interface Refusal {
  /** The name of the response if it recurs. */
  name: string
  status: string
  description: string
  schema: JsonObject
}

/**
 * Describes the refusals of a route: one response for each status that has errors of the route itself, and as
 * `default` the pipeline's errors, which every route of its kind has. Each code is a schema, and so is each set of
 * pipeline codes.
 */
export function describeRefusals(route: Route, shared: Components, responses: Recurring): JsonObject {
  // SCIM refusals contain no code (RFC 7644 §3.12).
  const components = route.media === 'scim' ? { ...shared, schemas: new Map() } : shared
  const pipeline = stepsOf(route).flatMap(({ errors }) => errors)
  const isOwn = ({ code }: ErrorDefinition) => !pipeline.some((error) => error.code === code)
  const own = Map.groupBy(errorsOf(route).filter(isOwn), ({ status }) => String(status))
  const refusals = [
    ...[...own].map(([status, errors]) => ownRefusal(route, status, errors.sort(byCode), components)),
    pipelineRefusal(route, components),
  ]
  const described = refusals.map(({ name, status, description, schema }): [string, JsonObject] => {
    const { refusalType } = mediaOf(route.media)
    const content = { [refusalType]: { schema: SCHEMAS[route.media] ?? schema } }
    const title = (route.media === 'json' ? '' : pascal(route.media)) + name
    return [status, responses.note(title, { description, content })]
  })
  return Object.fromEntries(described.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The schemas of refusals that are not problems. */
const SCHEMAS: Partial<Record<Route['media'], JsonObject>> = { form: { type: 'string' }, scim: { type: 'object' } }

/** A name with more codes than this is not readable. */
const MOST_IN_NAME = 3

/** A status with errors of the route itself. The pipeline may have further errors with this status. */
function ownRefusal(route: Route, status: string, own: ErrorDefinition[], components: Components): Refusal {
  const others = stepsOf(route).flatMap(({ errors }) => errors.filter((error) => String(error.status) === status))
  const codes = own.map(({ code }) => `\`${code}\``).join(', ')
  const names = [...own.map(({ code }) => pascal(code)), ...(others.length ? ['Refusal'] : [])]
  const schemas = [...own.map((error) => refer(error, components)), ...(others.length ? [ANY_PROBLEM] : [])]
  return {
    name: own.length > MOST_IN_NAME ? pascal(route.operation) + status : names.join('Or'),
    status,
    description: others.length ? `${codes}, or a code listed under \`default\`` : codes,
    schema: schemas.length === 1 ? { ...schemas[0] } : { anyOf: schemas },
  }
}

/** The pipeline's refusals with any status, named after its steps. */
function pipelineRefusal(route: Route, components: Components): Refusal {
  const steps = stepsOf(route)
  const errors = steps.flatMap(({ errors }) => errors).sort(byCode)
  const name = `${[...new Set(steps.map(({ name }) => name))].join('')}Refusal`
  components.schemas.set(`${name}Problem`, { anyOf: steps.flatMap((step) => referStep(step, components)) })
  return {
    name,
    status: 'default',
    description: errors.map(({ code }) => `\`${code}\``).join(', '),
    schema: { $ref: `#/components/schemas/${name}Problem` },
  }
}

/** A reference to a step's named set of codes, or to each code if the set has no name. */
function referStep({ set, errors }: Pick<Step, 'set' | 'errors'>, components: Components): JsonObject[] {
  const schemas = errors.map((error) => refer(error, components))
  if (set === undefined) return schemas
  components.schemas.set(set, { anyOf: schemas })
  return [{ $ref: `#/components/schemas/${set}` }]
}

function refer({ code, title, members }: ErrorDefinition, { schemas, refer: describe }: Components): JsonObject {
  const name = `${pascal(code)}Problem`
  const { properties: further } = Object(describe({ properties: members }))
  const properties = { code: { const: code, description: `${title}.` }, ...further }
  schemas.set(name, { allOf: [ANY_PROBLEM, { properties }] })
  return { $ref: `#/components/schemas/${name}` }
}

function byCode(a: ErrorDefinition, b: ErrorDefinition): number {
  return a.code < b.code ? -1 : 1
}
