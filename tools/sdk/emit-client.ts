import { Flags } from '../../packages/sdk/src/transport.ts'
import type { Operation } from '../../src/platform/openapi/document-operations.ts'
import { follow, type Part, partOf, referredName } from '../../src/platform/openapi/document-parts.ts'
import { pascal } from '../../src/platform/openapi/openapi-schemas.ts'
import { pathParametersOf } from './emit-types.ts'
import { indent, typeName, typeOf } from './schemas.ts'
import { docComment } from './text.ts'

/** The module of the client: a class for each namespace, and the class of them all. */
export function emitClient(document: Part, operations: Operation[]): string {
  const names = new Set<string>()
  const onName = (name: string) => void names.add(name)
  const namespaces = [...new Set(operations.flatMap(({ namespace }) => prefixes(namespace)))].sort(deepestFirst)
  const about = tagsOf(document)
  const classes = namespaces.map((namespace) => {
    const own = operations.filter((operation) => operation.namespace === namespace)
    const methods = own.map((operation) => emitMethod(document, operation, onName))
    const inner = namespaces.filter(
      (one) => one.startsWith(`${namespace}.`) && !one.slice(namespace.length + 1).includes('.'),
    )
    const fields = inner.map((one) => ({ name: one.slice(namespace.length + 1), type: className(one) }))
    const comment = docComment(about.get(own[0]?.tag ?? ''))
    return `${comment}export class ${className(namespace)} extends Namespace {\n${fieldLines(fields)}${methods.join('\n')}}\n`
  })
  const roots = namespaces.filter((namespace) => !namespace.includes('.')).sort()
  const rootFields = roots.map((name) => ({ name, type: className(name) }))
  const users = [
    ...new Set(operations.filter(({ isForUsers }) => isForUsers).map(({ namespace }) => namespace.split('.')[0])),
  ]
  return `// Generated from openapi.json by \`npm run gen\`. Do not edit.

import type { Call, PageCall } from '../call.ts'
import { type CallOptions, Namespace, path } from '../transport.ts'
import type {
${[...names]
  .sort()
  .map((name) => `  ${name},\n`)
  .join('')}} from './schemas.gen.ts'

${classes.join('\n')}
/** Every operation of the API, by namespace. */
export class Operations extends Namespace {
${fieldLines(rootFields)}}

/** The namespaces with operations that a user calls with an access token. */
export type UserOperations = Pick<Operations, ${users
    .sort()
    .map((name) => `'${name}'`)
    .join(' | ')}>
`
}

const className = (namespace: string) => `${pascal(namespace)}Api`

const fieldLines = (fields: { name: string; type: string }[]) =>
  fields.map(({ name, type }) => `  readonly ${name} = new ${type}(this.transport)\n`).join('')

const prefixes = (namespace: string) => namespace.split('.').map((_, at, steps) => steps.slice(0, at + 1).join('.'))

/** A class before those that use it. */
const deepestFirst = (a: string, b: string) => b.split('.').length - a.split('.').length || (a < b ? -1 : 1)

function tagsOf(document: Part): Map<string, string> {
  const tags = Array.isArray(document['tags']) ? document['tags'] : []
  return new Map(tags.map((tag) => [String(partOf(tag)['name']), String(partOf(tag)['description'] ?? '')]))
}

function emitMethod(document: Part, operation: Operation, onName: (name: string) => void): string {
  const { id, name, method, path, pagination, reply, isRepeatable, takesIdempotencyKey, query, body } = operation
  const params = paramsOf(operation, onName)
  const steps = pathParametersOf(document, operation)
  const pathArguments = steps.map((one) => `${one.name}: ${typeOf(one.schema, onName)}, `).join('')
  const url = path.replaceAll(/\{(\w+)\}/g, (_, step: string) => `\${${step}}`)
  const address = steps.length > 0 ? `path\`${url}\`` : `'${url}'`
  const flags =
    (isRepeatable ? Flags.repeatable : 0) +
    (takesIdempotencyKey ? Flags.keyed : 0) +
    (body ? Flags.body : 0) +
    (takesOrganization(document, operation) ? Flags.ofOrganization : 0)
  const inQuery = body && query.length > 0 ? query.map((one) => `'${String(one['name'])}'`) : []
  const rest = `'${id}', '${method}', ${address}, ${flags}, ${params ? 'params' : 'undefined'}, options`
  const signature = `${name}(${pathArguments}${params ? `${params}, ` : ''}options?: CallOptions)`
  const comment = indent(commentOf(operation), '  ')
  if (pagination && reply) {
    const page = typeOf(reply, onName)
    return `${comment}  ${signature}: PageCall<${page}, '${pagination.items}'> {
    return this.transport.page('${id}', ${address}, ${flags}, '${pagination.items}', '${pagination.cursor}', ${params ? 'params' : 'undefined'}, options)
  }\n`
  }
  if (!reply || body?.isForm)
    return `${comment}  ${signature}: Promise<Response> {\n    return this.transport.raw(${rest})\n  }\n`
  const last = inQuery.length > 0 ? `, [${inQuery.join(', ')}]` : ''
  return `${comment}  ${signature}: Call<${typeOf(reply, onName)}> {\n    return this.transport.call(${rest}${last})\n  }\n`
}

function takesOrganization(document: Part, { query, body }: Operation): boolean {
  const inBody = body ? partOf(partOf(follow(document, body.schema))['properties']) : {}
  return 'subOrgId' in inBody || query.some((one) => one['name'] === 'subOrgId')
}

/**
 * Operations that need something of a body in which each field is optional, since there are several ways. So do those that replace or
 * change a record.
 */
const NEED_PARAMETERS = new Set([
  'mail.reportBounce',
  'me.stepUp.verify',
  'mfa.totp.delete',
  'otp.generate',
  'tokens.revoke',
])

/** The argument with parameters, or null for an operation without. */
function paramsOf(operation: Operation, onName: (name: string) => void): string | null {
  const { id, method, query, body } = operation
  if (body?.isForm) return 'params: Record<string, string>'
  const type = query.length > 0 ? typeName(operation, 'Params') : body ? referredName(body.schema) : undefined
  if (type === undefined) return null
  onName(type)
  const isChange = body !== null && (method === 'PUT' || method === 'PATCH')
  const isNeeded =
    body?.required || isChange || NEED_PARAMETERS.has(id) || query.some((one) => one['required'] === true)
  return isNeeded ? `params: ${type}` : `params?: ${type}`
}

function commentOf({ summary, description, method, path, errors, pagination, scopes }: Operation): string {
  const codes = quoted(errors)
  const rows = pagination && `Iterates over the rows of \`${pagination.items}\`.`
  const needed = scopes.length > 0 && `${scopes.length > 1 ? 'Scopes' : 'Scope'}: ${quoted(scopes)}.`
  return docComment(
    `${summary}.`,
    description,
    rows,
    `${method} ${path}`,
    needed,
    codes && `Errors of its own: ${codes}.`,
  )
}

const quoted = (names: string[]) => names.map((name) => `\`${name}\``).join(', ')
