import { listOf, type Part, partOf } from '../src/platform/openapi/document-parts.ts'
import {
  alternativesOf,
  breaksOfOpen,
  breaksOfSchema,
  followed,
  openValues,
  type Pair,
  type Spot,
} from './schema-breaks.ts'

/**
 * Compares two OpenAPI 3.1 documents and returns each change that breaks a client of the first, as a sentence that begins
 * with its place. Additions are no breaks: operations, optional parameters and fields of requests, fields and headers of
 * responses, error codes, types of events.
 */
export function breakingChanges(base: Part, next: Part): string[] {
  const spot: Spot = { place: '', direction: 'request', base, next, known: new Map() }
  const breaks = [
    ...breaksOfPaths({ old: base['paths'], next: next['paths'] }, spot),
    // Clients receive these requests.
    ...breaksOfPaths({ old: base['webhooks'], next: next['webhooks'] }, { ...spot, direction: 'response' }),
    ...breaksOfSchemes(base, next),
    ...goneServers(base, next, 'servers'),
  ]
  return [...new Set(breaks)].sort()
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

function breaksOfPaths({ old, next }: Pair, spot: Spot): string[] {
  return Object.entries(partOf(old)).flatMap(([path, item]) =>
    METHODS.filter((method) => method in partOf(item)).flatMap((method) => {
      const at = { ...spot, place: `${method.toUpperCase()} ${path}` }
      const [before, after] = [partOf(partOf(item)[method]), partOf(partOf(next)[path])[method]]
      return after === undefined ? [`${at.place}: the operation is gone`] : breaksOfOperation(before, partOf(after), at)
    }),
  )
}

function breaksOfOperation(old: Part, next: Part, spot: Spot): string[] {
  const [before, after] = [old['operationId'], next['operationId']]
  return [
    // Generated clients name their methods after it.
    ...(before === after ? [] : [`${spot.place}: operationId was ${before}, is ${after}`]),
    ...breaksOfSecurity(old, next, spot),
    ...('servers' in next ? goneServers(old, next, spot.place) : []),
    ...breaksOfParameters({ old: old['parameters'], next: next['parameters'] }, spot),
    ...breaksOfBody({ old: old['requestBody'], next: next['requestBody'] }, spot),
    ...breaksOfResponses({ old: old['responses'], next: next['responses'] }, spot),
  ]
}

function goneServers(old: Part, next: Part, place: string): string[] {
  const urls = (part: Part) => listOf(part['servers']).map((server) => String(partOf(server)['url']))
  return urls(old)
    .filter((url) => !urls(next).includes(url))
    .map((url) => `${place}: the server ${url} is gone`)
}

/** Each way to authenticate must remain: with no further scheme and no further scope. */
function breaksOfSecurity(old: Part, next: Part, { place, base, next: document }: Spot): string[] {
  const [before, after] = [
    listOf(old['security'] ?? base['security']),
    listOf(next['security'] ?? document['security']),
  ]
  if (after.length === 0) return []
  const ways = before.length > 0 ? before : [{}]
  return ways
    .filter((way) => !after.some((other) => isWithin(partOf(other), partOf(way))))
    .map((way) => `${place}: ${JSON.stringify(way)} no longer suffices`)
}

function isWithin(next: Part, old: Part): boolean {
  return Object.entries(next).every(
    ([scheme, scopes]) => scheme in old && listOf(scopes).every((scope) => listOf(old[scheme]).includes(scope)),
  )
}

/** How each scheme sends its credential. */
function breaksOfSchemes(base: Part, next: Part): string[] {
  const [before, after] = [base, next].map((document) => partOf(partOf(document['components'])['securitySchemes']))
  return Object.entries(before ?? {}).flatMap(([name, scheme]) => {
    const [old, other] = [scheme, after?.[name]].map((part) => {
      const { description: _, ...rest } = partOf(part)
      return JSON.stringify(rest)
    })
    return old === other ? [] : [`security scheme ${name}: was ${old}, is ${other}`]
  })
}

function breaksOfParameters({ old, next }: Pair, spot: Spot): string[] {
  const byName = (list: unknown, document: Part) =>
    new Map(
      listOf(list)
        .map((parameter) => followed(parameter, document))
        .map((parameter) => [`${parameter['in']} parameter ${parameter['name']}`, parameter]),
    )
  const [before, after] = [byName(old, spot.base), byName(next, spot.next)]
  const kept = [...before].flatMap(([name, parameter]) => {
    const other = after.get(name)
    const at = { ...spot, place: `${spot.place} ${name}` }
    return other
      ? breaksOfSchema({ old: parameter['schema'], next: other['schema'] }, at)
      : [`${at.place}: the parameter is gone`]
  })
  const demanded = [...after]
    .filter(([name, parameter]) => parameter['required'] === true && before.get(name)?.['required'] !== true)
    .map(([name]) => `${spot.place} ${name}: is now required`)
  return [...kept, ...demanded]
}

function breaksOfBody({ old, next }: Pair, spot: Spot): string[] {
  const [before, after] = [followed(old, spot.base), followed(next, spot.next)]
  const at = { ...spot, place: `${spot.place} body` }
  if (old !== undefined && next === undefined) return [`${at.place}: the body is gone`]
  return [
    ...(after['required'] === true && before['required'] !== true ? [`${at.place}: is now required`] : []),
    ...breaksOfContent({ old: before['content'], next: after['content'] }, at),
  ]
}

function breaksOfContent({ old, next }: Pair, spot: Spot): string[] {
  return Object.entries(partOf(old)).flatMap(([type, media]) => {
    const other = partOf(next)[type]
    const at = { ...spot, place: `${spot.place} ${type}` }
    if (other === undefined) return [`${at.place}: the media type is gone`]
    return breaksOfSchema({ old: partOf(media)['schema'], next: partOf(other)['schema'] }, at)
  })
}

function breaksOfResponses({ old, next }: Pair, operation: Spot): string[] {
  const [before, after] = [responsesOf(old, operation.base), responsesOf(next, operation.next)]
  const refusals = [...after].filter(([status]) => isRefusal(status)).map(([, response]) => response)
  return [...before].flatMap(([status, response]) => {
    const other = after.get(status)
    const at: Spot = { ...operation, direction: 'response', place: `${operation.place} ${status}` }
    if (!other) return [`${at.place}: the response is gone`]
    const others = status === 'default' ? refusals : [other, after.get('default') ?? {}]
    return [
      ...breaksOfHeaders({ old: response['headers'], next: other['headers'] }, at),
      ...(isRefusal(status)
        ? [...goneTypes(response, other, at), ...breaksOfProblem(response, others, at)]
        : breaksOfContent({ old: response['content'], next: other['content'] }, at)),
    ]
  })
}

const isRefusal = (status: string) => status === 'default' || /^[45]/.test(status)

function responsesOf(responses: unknown, document: Part): Map<string, Part> {
  return new Map(Object.entries(partOf(responses)).map(([status, response]) => [status, followed(response, document)]))
}

function goneTypes(old: Part, next: Part, { place }: Spot): string[] {
  return Object.keys(partOf(old['content']))
    .filter((type) => !(type in partOf(next['content'])))
    .map((type) => `${place} ${type}: the media type is gone`)
}

/** Each error code must remain: under its status or `default`, and one of `default` under any. */
function breaksOfProblem(old: Part, next: Part[], spot: Spot): string[] {
  return breaksOfOpen(problemsOf([old], spot.base), problemsOf(next, spot.next), spot)
}

function problemsOf(responses: Part[], document: Part) {
  const contents = responses.flatMap((response) => Object.values(partOf(response['content'])))
  return openValues(contents.flatMap((media) => alternativesOf(partOf(media)['schema'], document)))
}

function breaksOfHeaders({ old, next }: Pair, spot: Spot): string[] {
  return Object.entries(partOf(old)).flatMap(([name, header]) => {
    const at = { ...spot, place: `${spot.place} header ${name}` }
    const [before, after] = [followed(header, spot.base), followed(partOf(next)[name], spot.next)]
    if (!(name in partOf(next))) return [`${at.place}: the header is gone`]
    return [
      ...(before['required'] === true && after['required'] !== true ? [`${at.place}: may now be absent`] : []),
      ...breaksOfSchema({ old: before['schema'], next: after['schema'] }, at),
    ]
  })
}
