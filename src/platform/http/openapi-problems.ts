import type { ErrorDefinition } from '../errors.ts'
import { mediaOf } from './media.ts'
import { errorsOf, stepsOf } from './openapi-errors.ts'
import { headersOfRefusal } from './openapi-headers.ts'
import type { Recurring } from './openapi-recurring.ts'
import { type Components, type JsonObject, pascal, toJson } from './openapi-schemas.ts'
import type { Route } from './route.ts'

/** The one error shape (RFC 9457) as JSON Schema: what problems of every code have. */
export const problemSchema = {
  type: 'object',
  description: 'A refusal (RFC 9457). Branch on `code`; some codes have further members.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Documentation of the code.' },
    title: { type: 'string', description: 'The general case.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'This occurrence and what to do about it.' },
    code: { type: 'string', description: 'Stable.' },
    request_id: { type: 'string', description: 'Identifies the request in log lines and events; also X-Request-Id.' },
  },
}

const STATUS_NAMES: Record<string, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  '5XX': 'ServerError',
}

/** More codes than this in a name help nobody. */
const MOST_IN_NAME = 3

/** What a route refuses with one status, or with those of `5XX`. */
interface Refusal {
  status: string
  /** Its own errors. */
  own: ErrorDefinition[]
  /** Those of the pipeline steps it passes through, and the name of the set. */
  common: { codes: ErrorDefinition[]; name: string }
}

/**
 * The refusals of a route, by status. Each code is a schema, and so is each set of codes of the pipeline, which many
 * routes have.
 */
export function describeRefusals(route: Route, components: Components, responses: Recurring): JsonObject {
  const errors = errorsOf(route)
  const isOurFault = errors.filter(({ status }) => status >= 500).every((error) => isOfPipeline(route, error))
  // What goes wrong on our side does so alike on most routes.
  const keyOf = ({ status }: ErrorDefinition) => (isOurFault && status >= 500 ? '5XX' : String(status))
  const byKey = [...Map.groupBy(errors, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    byKey.map(([status, errors]) => {
      const common = ofPipeline(route, errors)
      const own = errors.filter(({ code }) => !common.codes.some((known) => known.code === code)).sort(byCode)
      const refusal = { status, own, common }
      const response = {
        description: [...own, ...common.codes].map(({ code }) => `\`${code}\``).join(', '),
        headers: headersOfRefusal(errors),
        content: { [mediaOf(route.media).refusalType]: { schema: schemaOf(route, refusal, components) } },
      }
      return [status, responses.note(nameOf(route, refusal), response)]
    }),
  )
}

function nameOf({ operation, media }: Route, { status, own, common }: Refusal): string {
  if (own.length > MOST_IN_NAME) return pascal(operation) + nameOfStatus(status)
  const names = [...own.map(({ code }) => pascal(code)), ...(common.codes.length ? [common.name] : [])]
  return (media === 'json' ? '' : pascal(media)) + names.join('Or')
}

function schemaOf({ media }: Route, { own, common }: Refusal, components: Components): JsonObject {
  if (media !== 'json') return { type: media === 'form' ? 'string' : 'object' }
  const refs = [...own, ...(common.codes.length === 1 ? common.codes : [])].map((error) => refer(error, components))
  if (common.codes.length > 1) {
    const name = `${common.name}Problem`
    components.schemas.set(name, { anyOf: common.codes.map((error) => refer(error, components)) })
    refs.push({ $ref: `#/components/schemas/${name}` })
  }
  const [only] = refs
  return refs.length === 1 && only ? only : { anyOf: refs }
}

function refer({ code, title, members }: ErrorDefinition, { schemas }: Components): JsonObject {
  const name = `${pascal(code)}Problem`
  const properties = { code: { type: 'string', const: code }, ...toJson(members) }
  schemas.set(name, {
    description: `${title}.`,
    allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties }],
  })
  return { $ref: `#/components/schemas/${name}` }
}

function isOfPipeline(route: Route, { code }: ErrorDefinition): boolean {
  return stepsOf(route).some(({ errors }) => errors.some((error) => error.code === code))
}

/** What the steps of the pipeline refuse with these statuses, under the name of a single code or of the steps. */
function ofPipeline(route: Route, refused: ErrorDefinition[]): { codes: ErrorDefinition[]; name: string } {
  const statuses = new Set(refused.map(({ status }) => status))
  const found = stepsOf(route).flatMap(({ name, errors }) =>
    errors.filter(({ status }) => statuses.has(status)).map((error) => ({ name, error })),
  )
  const codes = found.map(({ error }) => error).sort(byCode)
  const status = statuses.size > 1 ? '5XX' : String([...statuses][0])
  const [only] = codes
  if (codes.length === 1 && only) return { codes, name: pascal(only.code) }
  return { codes, name: [...new Set(found.map(({ name }) => name))].join('') + nameOfStatus(status) }
}

function nameOfStatus(status: string): string {
  return STATUS_NAMES[status] ?? status
}

function byCode(a: ErrorDefinition, b: ErrorDefinition): number {
  return a.code < b.code ? -1 : 1
}
