import { follow, isPart, listOf, type Part, partOf, referredName, schemaOf } from './document-parts.ts'

/** An operation, with what is needed to generate a method. */
export interface Operation {
  /** For example `me.sessions.list`. */
  id: string
  /** `me.sessions.list` is the method `list` in the namespace `me.sessions`. */
  namespace: string
  name: string
  method: string
  path: string
  tag: string
  summary: string
  description: string
  pathParameters: Part[]
  /** Query parameters that are not in the body. */
  query: Part[]
  body: { schema: unknown; required: boolean; examples: unknown[]; isForm: boolean } | null
  /** The schema of the JSON reply, or null if the reply has another format. */
  reply: unknown
  replyExample: unknown
  pagination: { items: string; cursor: string } | null
  isRepeatable: boolean
  takesIdempotencyKey: boolean
  /** Whether requests use a user's access token. */
  isForUsers: boolean
  /** The name in the document of the credential that a request needs, or null for none. */
  credential: string | null
  /** The scopes that the API key needs. */
  scopes: string[]
  /** The codes of problems that this operation lists itself. */
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
  // If a reply has several formats, the method returns JSON.
  const isOneOfMany =
    Object.keys(partOf(follow(document, partOf(operation['responses'])['200'])['content'])).length > 1 &&
    replyOf(document, operation) !== null
  const ofKind = (kind: string) => parameters.filter((parameter) => parameter['in'] === kind)
  const [security] = listOf(operation['security']).map(partOf)
  const [credential, scopes] = Object.entries(security ?? {})[0] ?? [null, []]
  return {
    id: id.join('.'),
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
    replyExample: replyMediaOf(document, operation)['example'] ?? null,
    pagination: toPagination(operation['x-pagination']),
    isRepeatable: operation['x-idempotent'] === true,
    takesIdempotencyKey: ofKind('header').some(({ name }) => name === 'Idempotency-Key'),
    isForUsers: listOf(operation['security']).some((one) => 'accessToken' in partOf(one)),
    credential,
    scopes: listOf(scopes).map(String),
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
  return replyMediaOf(document, operation)['schema'] ?? null
}

function replyMediaOf(document: Part, operation: Part): Part {
  const reply = follow(document, partOf(operation['responses'])['200'])
  return partOf(partOf(reply['content'])['application/json'])
}

/** The codes in the schemas of those responses that belong to the operation alone. */
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
