import { pascal } from '../../src/platform/openapi/openapi-schemas.ts'
import { isPart, listOf, type Part, partOf } from '../schema-breaks.ts'
import { referredName } from './schemas.ts'

/** An operation as a method needs it. */
export interface Operation {
  /** `me.sessions.list` is the method `list` of the namespace `me.sessions`. */
  namespace: string
  name: string
  method: string
  path: string
  tag: string
  summary: string
  description: string
  pathParameters: Part[]
  /** Query parameters that the body does not have. */
  query: Part[]
  body: { schema: unknown; required: boolean; examples: unknown[]; isForm: boolean } | null
  /** The schema of the JSON reply, or null where the reply is of another kind. */
  reply: unknown
  pagination: { items: string; cursor: string } | null
  isRepeatable: boolean
  takesIdempotencyKey: boolean
  /** For requests with the access token of a user. */
  isForUsers: boolean
  /** The codes of problems that this operation names by itself. */
  errors: string[]
}

/** The operations of an OpenAPI document, without aliases. */
export function operationsOf(document: Part): Operation[] {
  return Object.entries(partOf(document['paths'])).flatMap(([path, item]) =>
    Object.entries(partOf(item))
      .filter(([, operation]) => partOf(operation)['x-alias'] !== true)
      .map(([method, operation]) => toOperation(document, method, path, partOf(operation))),
  )
}

function toOperation(document: Part, method: string, path: string, operation: Part): Operation {
  const id = String(operation['operationId']).split('.')
  const parameters = listOf(operation['parameters']).map((parameter) => follow(document, parameter))
  const body = bodyOf(document, operation)
  const inBody = partOf(partOf(follow(document, body?.schema))['properties'])
  // Methods return JSON where a reply has other formats as well.
  const isOneOfMany =
    Object.keys(partOf(follow(document, partOf(operation['responses'])['200'])['content'])).length > 1 &&
    replyOf(document, operation) !== null
  const ofKind = (kind: string) => parameters.filter((parameter) => parameter['in'] === kind)
  return {
    namespace: id.slice(0, -1).join('.'),
    name: id.at(-1) ?? '',
    method: method.toUpperCase(),
    path,
    tag: String(listOf(operation['tags'])[0]),
    summary: String(operation['summary']),
    description: String(operation['description'] ?? ''),
    pathParameters: ofKind('path'),
    query: ofKind('query').filter(({ name }) => !(String(name) in inBody) && !(isOneOfMany && name === 'format')),
    body,
    reply: replyOf(document, operation),
    pagination: toPagination(operation['x-pagination']),
    isRepeatable: operation['x-idempotent'] === true,
    takesIdempotencyKey: ofKind('header').some(({ name }) => name === 'Idempotency-Key'),
    isForUsers: listOf(operation['security']).some((one) => 'accessToken' in partOf(one)),
    errors: errorsOf(document, operation),
  }
}

function toPagination(value: unknown): Operation['pagination'] {
  return isPart(value) ? { items: String(value['items']), cursor: String(value['cursor']) } : null
}

function bodyOf(document: Part, operation: Part): Operation['body'] {
  const body = follow(document, operation['requestBody'])
  const [type = '', media] = Object.entries(partOf(body['content']))[0] ?? []
  if (media === undefined) return null
  const { schema, example, examples } = partOf(media)
  return {
    schema,
    required: body['required'] === true,
    examples: isPart(examples) ? Object.values(examples).map((one) => partOf(one)['value']) : example ? [example] : [],
    isForm: type !== 'application/json',
  }
}

function replyOf(document: Part, operation: Part): unknown {
  const reply = follow(document, partOf(operation['responses'])['200'])
  const media = partOf(reply['content'])['application/json']
  return media === undefined ? null : partOf(media)['schema']
}

/** The codes in the schemas of those responses that are the operation's own. */
function errorsOf(document: Part, operation: Part): string[] {
  const codes = Object.entries(partOf(operation['responses'])).flatMap(([status, response]) =>
    status === 'default' || Number(status) < 400 ? [] : codesIn(document, follow(document, response)['content']),
  )
  return [...new Set(codes)]
}

function codesIn(document: Part, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((inner) => codesIn(document, inner))
  if (!isPart(value)) return []
  const name = referredName(value)
  if (name !== undefined) return name === 'Problem' ? [] : codesIn(document, schemaOf(document, name))
  const { const: code } = partOf(partOf(value['properties'])['code'])
  return typeof code === 'string' ? [code] : Object.values(value).flatMap((inner) => codesIn(document, inner))
}

export const schemaOf = (document: Part, name: string): Part =>
  partOf(partOf(partOf(document['components'])['schemas'])[name])

/** The part itself, or what it refers to. */
export function follow(document: Part, value: unknown): Part {
  const reference = partOf(value)['$ref']
  if (typeof reference !== 'string') return partOf(value)
  const target = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, step) => partOf(inner)[step], document)
  return follow(document, target)
}

/** The name of the type of an operation, such as `UsersListParams`. */
export const typeName = ({ namespace, name }: Operation, ending: string) => `${pascal(`${namespace}.${name}`)}${ending}`
