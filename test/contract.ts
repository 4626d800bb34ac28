import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { buildOpenApi } from '../src/platform/http/openapi.ts'
import { routes } from '../src/routes.ts'

type Response = { $ref?: string; content?: Record<string, { schema: AnySchema; example?: unknown }> }

export type Operation = {
  operationId: string
  security: Record<string, string[]>[]
  requestBody?: { content: Record<string, { schema: AnySchema; example?: unknown }> }
  responses: Record<string, Response>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Besides its operations a path may name servers. */
type PathItem = Partial<Record<(typeof METHODS)[number], Operation>> & { servers?: { url: string }[] }

interface Document {
  paths: Record<string, PathItem>
  webhooks: Record<string, { post: Operation }>
  components: { responses: Record<string, Response>; schemas: Record<string, AnySchema> }
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

function openContract() {
  const document = buildOpenApi(routes, { baseUrl: 'http://localhost:4000', version: '0.0.0' })
  if (!isDocument(document)) throw new Error('A document without paths')
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  // Literal paths before those with parameters, as in the router.
  templates.sort((a, b) => a.template.split('{').length - b.template.split('{').length)
  return { document, ajv, templates }
}

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
  const { document, templates } = contract()
  const plain = documented(path)
  for (const { template, pattern } of templates) {
    const known = METHODS.find((name) => name === method.toLowerCase())
    const operation = known && pattern.test(plain) ? document.paths[template]?.[known] : undefined
    if (operation) return { template, operation }
  }
  return null
}

function escapePointer(text: string): string {
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
  if (isPage) return
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
  if (pointer === null) return
  const validate = ajv.getSchema(pointer)
  if (!validate) throw new Error(`The document has nothing at ${pointer}`)
  if (validate(body)) return
  const reasons = (validate.errors ?? []).map((error) => `${error.instancePath || 'the body'} ${error.message}`)
  throw new Error(`${name}, which does not match its OpenAPI operation: ${reasons.join('; ')}\n${JSON.stringify(body)}`)
}

function pointerOf(method: string, found: { template: string; operation: Operation }, status: number): string | null {
  const response = found.operation.responses[String(status)]
  if (!response) return null
  const name = response.$ref?.split('/').at(-1)
  const { content = {} } = name === undefined ? response : (contract().document.components.responses[name] ?? {})
  const [type] = Object.keys(content)
  if (type === undefined) return null
  const place =
    name === undefined
      ? `paths/${escapePointer(found.template)}/${method.toLowerCase()}/responses/${status}`
      : `components/responses/${name}`
  return `openapi#/${place}/content/${escapePointer(type)}/schema`
}
