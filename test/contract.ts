import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { buildOpenApi } from '../src/platform/http/openapi.ts'
import { routes } from '../src/routes.ts'

export type Operation = {
  operationId: string
  security: Record<string, string[]>[]
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: AnySchema }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
}

function isDocument(value: object): value is Document {
  return 'paths' in value
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
  // Written-out paths before those with parameters, as the router has it.
  templates.sort((a, b) => a.template.split('{').length - b.template.split('{').length)
  return { document, ajv, templates }
}

let opened: ReturnType<typeof openContract> | null = null

/** The OpenAPI document that replies are held against, made on first use. */
export function contract(): ReturnType<typeof openContract> {
  opened ??= openContract()
  return opened
}

/** Paths as the document has them: versioned ones below `/api`, without a query. */
function documented(path: string): string {
  const [plain = ''] = path.split('?')
  return plain.startsWith('/v1/') ? `/api${plain}` : plain
}

/** The operation that answers a request, or null. */
export function findOperation(method: string, path: string): { template: string; operation: Operation } | null {
  const { document, templates } = contract()
  const plain = documented(path)
  for (const { template, pattern } of templates) {
    const operation = pattern.test(plain) ? document.paths[template]?.[method.toLowerCase()] : undefined
    if (operation) return { template, operation }
  }
  return null
}

function escapePointer(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))
}

// The router takes no longer parameter, and answers as for an unknown path.
const MAX_PARAMETER = 200

/**
 * Throws when a reply is not what the document says of its route and status. A reply of a path that the document does
 * not have need only be a problem, if it refuses.
 */
export function assertMatchesContract(method: string, path: string, status: number, body: unknown): void {
  const { ajv } = contract()
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : null
  const found = documented(path)
    .split('/')
    .some((part) => part.length > MAX_PARAMETER)
    ? null
    : findOperation(method, path)
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
  if (response.$ref) return `openapi${response.$ref}/content/${escapePointer('application/problem+json')}/schema`
  const path = `${escapePointer(found.template)}/${method.toLowerCase()}/responses/${status}`
  return `openapi#/paths/${path}/content/${escapePointer('application/json')}/schema`
}
