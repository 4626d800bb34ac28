import { isDeepStrictEqual } from 'node:util'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { findErrorDefinition } from '../../src/platform/errors.ts'
import { buildOpenApi } from '../../src/platform/openapi/openapi.ts'
import { problemSchema } from '../../src/platform/openapi/openapi-problems.ts'
import { routes } from '../../src/wiring/routes.ts'

export type Media = { schema: AnySchema; example?: unknown; examples?: Record<string, { value: unknown }> }

type Response = {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}

export type Operation = {
  operationId: string
  security: Record<string, string[]>[]
  parameters?: { $ref?: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Besides its operations a path may name servers. */
type PathItem = Partial<Record<(typeof METHODS)[number], Operation>> & { servers?: { url: string }[] }

interface Document {
  paths: Record<string, PathItem>
  webhooks?: Record<string, { post: Operation }>
  components: {
    parameters: Record<string, unknown>
    headers: Record<string, unknown>
    responses: Record<string, Response>
    schemas: Record<string, AnySchema>
  }
}

/** Every operation of the document, with where it stands. */
export function operations(): { template: string; method: string; operation: Operation }[] {
  return Object.entries(contract().document.paths).flatMap(([template, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation ? [{ template, method, operation }] : []
    }),
  )
}

function isDocument(value: object): value is Document {
  return 'paths' in value && 'components' in value
}

/** The documents of the contract. */
export const documents = (['api', 'scim'] as const).map((part) => {
  const document = buildOpenApi(routes, { baseUrl: 'http://localhost:4000', version: '0.0.0', part })
  if (!isDocument(document)) throw new Error('A document without paths')
  return document
})

/** Throws where two parts have something else under the same name. */
function merged<T>(parts: Record<string, T>[]): Record<string, T> {
  const whole: Record<string, T> = {}
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    if (name in whole && !isDeepStrictEqual(whole[name], value)) throw new Error(`Two documents differ at ${name}`)
    whole[name] = value
  }
  return whole
}

/** As if they were one: a name stands for the same in each. */
function openContract() {
  const of = (section: 'headers' | 'responses' | 'schemas') =>
    merged<Response & AnySchema>(documents.map(({ components }) => Object(components[section])))
  const document: Document = {
    paths: merged(documents.map(({ paths }) => paths)),
    webhooks: merged(documents.flatMap(({ webhooks }) => (webhooks ? [webhooks] : []))),
    components: {
      headers: of('headers'),
      responses: of('responses'),
      schemas: of('schemas'),
      // Those of SCIM are of its RFC.
      parameters: documents[0]?.components.parameters ?? {},
    },
  }
  // Most schemas judge a few answers of a run: to write shorter code for each takes longer than what it saves.
  const quick = { inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, ...quick })
  addFormats.default(ajv)
  // RFC 5646: what PostgreSQL and Intl take, which other tests hold.
  ajv.addFormat('language-tag', true)
  ajv.addSchema(document, 'openapi')
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  // Literal paths before those with parameters, as in the router.
  templates.sort((a, b) => a.template.split('{').length - b.template.split('{').length)
  // A component is named as its header, but for the dashes.
  const headers = new Set(Object.keys(document.components.headers).map((name) => name.toLowerCase()))
  return { document, ajv, headers, templatesBy: Map.groupBy(templates, ({ template }) => partsIn(template)) }
}

const partsIn = (path: string) => path.split('/').length

let opened: ReturnType<typeof openContract> | null = null

/** The OpenAPI document that replies are checked against, built on first use. */
export function contract(): ReturnType<typeof openContract> {
  opened ??= openContract()
  return opened
}

/** Paths as the document has them: without the prefix that its servers have, and without a query. */
function documented(path: string): string {
  const [plain = ''] = path.split('?')
  return plain.replace(/^\/api(?=\/v1\/)/, '')
}

/** The operation of a request, or null. */
export function findOperation(method: string, path: string): { template: string; operation: Operation } | null {
  const { document, templatesBy } = contract()
  const plain = documented(path)
  const known = METHODS.find((name) => name === method.toLowerCase())
  for (const { template, pattern } of templatesBy.get(partsIn(plain)) ?? []) {
    const operation = known && pattern.test(plain) ? document.paths[template]?.[known] : undefined
    if (operation) return { template, operation }
  }
  return null
}

export function escapePointer(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))
}

// The router accepts no longer parameter, and answers as for an unknown path.
const MAX_PARAMETER = 200

/**
 * Throws when a reply does not match the document for its route and status. For a path that the document does not have,
 * a refusal need only be a problem.
 */
export function assertMatchesContract(method: string, path: string, status: number, body: unknown): void {
  const { ajv } = contract()
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : null
  const found = documented(path)
    .split('/')
    .some((part) => part.length > MAX_PARAMETER)
    ? null
    : findOperation(method, path)
  const isPage = found?.operation.responses['200']?.content?.['text/html']
  const types = Object.keys(found?.operation.responses['200']?.content ?? {})
  const isFile = status === 200 && types.length > 0 && !types.some((type) => /[/+]json$/.test(type))
  if (isPage || isFile || (found && isForBrowsers(method, found, status))) return
  const pointer = found
    ? pointerOf(method, found, status)
    : code !== null
      ? 'openapi#/components/schemas/Problem'
      : null
  const name = `${method} ${documented(path)} answered ${status}${code ? ` ${code}` : ''}`
  if (found && pointer === null)
    throw new Error(
      `${name}, a status its OpenAPI operation does not have: declare the error in the route's \`errors\``,
    )
  assertMembersDeclared(name, body)
  if (found && status >= 400 && code !== null && !codesOf(method, found, status).has(code))
    throw new Error(`${name}, a code its OpenAPI operation does not have: declare it in the route's \`errors\``)
  if (pointer === null) return
  const validate = ajv.getSchema(pointer)
  if (!validate) throw new Error(`The document has nothing at ${pointer}`)
  if (validate(body)) return
  const errors = validate.errors ?? []
  // A union gives the reasons of each of its parts, which are many for an event.
  const events = errors.flatMap(({ keyword, instancePath }) =>
    keyword === 'oneOf' ? reasonsOfEvent(instancePath, at(body, instancePath)) : [],
  )
  const reasons = events.length > 0 ? events : errors.slice(0, 20).map(inWords)
  throw new Error(`${name}, which does not match its OpenAPI operation: ${reasons.join('; ')}\n${JSON.stringify(body)}`)
}

const inWords = ({ instancePath, message }: { instancePath: string; message?: string }) =>
  `${instancePath || 'the body'} ${message}`

/** What stands at a JSON pointer. */
function at(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce((value: unknown, key) => Object(value)[key], body)
}

/** The event, and why it does not match the schema of its type. Nothing for what is no event. */
function reasonsOfEvent(place: string, event: unknown): string[] {
  const type: unknown = Object(event).type
  const { ajv, document } = contract()
  const named = Object.entries(document.components.schemas).find(([, schema]) => {
    const told = Object(Object(schema).allOf?.[1]).properties?.type
    return typeof type === 'string' && (told?.const === type || told?.enum?.includes(type))
  })
  if (!named) return []
  const validate = ajv.getSchema(`openapi#/components/schemas/${named[0]}`)
  if (!validate || validate(event)) return [`${place} matches several schemas: ${JSON.stringify(event)}`]
  const reasons = (validate.errors ?? []).map((error) =>
    inWords({ ...error, instancePath: place + error.instancePath }),
  )
  return [...reasons, `the event is ${JSON.stringify(event)}`]
}

/** The codes that an operation refuses with by the document: those of the status, and those of any. */
function codesOf(method: string, found: { template: string; operation: Operation }, status: number): Set<string> {
  const keys = [String(status), 'default']
  const texts = keys.map((key) => responseOf({ method, ...found }, key)?.response.description)
  return new Set(texts.join().match(/(?<=`)[a-z_]+(?=`)/g))
}

/** Throws when a problem has a member that its code does not declare. */
function assertMembersDeclared(name: string, body: unknown): void {
  if (typeof body !== 'object' || body === null || !('code' in body) || !('request_id' in body)) return
  const definition = findErrorDefinition(String(body.code))
  const declared = [...Object.keys(problemSchema.properties), ...Object.keys(definition?.members ?? {})]
  const strange = Object.keys(body).filter((member) => !declared.includes(member))
  if (strange.length) throw new Error(`${name} with ${strange.join()}, which the error does not declare as members`)
}

/** Throws when a reply has a header of the contract that the document does not have for its route and status. */
export function assertHeadersDeclared(method: string, path: string, status: number, sent: Headers): void {
  const found = findOperation(method, path)
  const answer = found && responseOf({ method, ...found }, String(status))
  if (!answer) return
  const declared = Object.keys(answer.response.headers ?? {}).map((name) => name.toLowerCase())
  const { headers } = contract()
  const ofContract = [...sent.keys()].filter((name) => headers.has(name.replaceAll('-', '')))
  const strange = ofContract.filter((name) => !declared.includes(name))
  if (strange.length)
    throw new Error(`${method} ${path} answered ${status} with ${strange.join()}, which the document does not have`)
}

/** A response of an operation, and where it stands in the document. */
export function responseOf(
  { template, method, operation }: { template: string; method: string; operation: Operation },
  status: string,
): { response: Response; place: string } | null {
  const key = status in operation.responses || Number(status) < 400 ? status : 'default'
  const response = operation.responses[key]
  if (!response) return null
  const name = response.$ref?.split('/').at(-1)
  const shared = name === undefined ? undefined : contract().document.components.responses[name]
  if (shared) return { response: shared, place: `components/responses/${name}` }
  return { response, place: `paths/${escapePointer(template)}/${method.toLowerCase()}/responses/${key}` }
}

/** Whether the answer is one that browsers follow or show, or empty, which no schema describes. */
function isForBrowsers(method: string, found: { template: string; operation: Operation }, status: number): boolean {
  const answer = responseOf({ method, ...found }, String(status))
  if (answer === null) return false
  const types = Object.keys(answer.response.content ?? {})
  return types.length === 0 ? [204, 302, 303, 304].includes(status) : types.includes('text/html')
}

function pointerOf(method: string, found: { template: string; operation: Operation }, status: number): string | null {
  const answer = responseOf({ method, ...found }, String(status))
  const [type] = Object.keys(answer?.response.content ?? {})
  return answer && type !== undefined ? `openapi#/${answer.place}/content/${escapePointer(type)}/schema` : null
}
