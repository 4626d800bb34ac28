import type { Operation } from '../../src/platform/openapi/document-operations.ts'
import { follow, listOf, type Part, partOf, referredName, schemaOf } from '../../src/platform/openapi/document-parts.ts'
import { fieldsOf, typeName, typeOf } from './schemas.ts'
import { docComment } from './text.ts'

const HEADER = '// Generated from openapi.json by `npm run gen`. Do not edit.\n\n'

/** The events that the document lists. A newer service also sends others. */
const EVENT = 'AnyEvent'

/** A type that the SDK narrows by hand, and the name of the one that it is made of. */
const NARROWED = { name: 'LoginResult', base: 'LoginFields', module: '../login-result.ts' }

/** The module of the types of requests, replies and events. */
export function emitSchemas(document: Part, operations: Operation[]): string {
  const written = new Map<string, string>()
  const waiting: string[] = [EVENT]
  const onName = (name: string) => void waiting.push(name)
  const parameters = operations.flatMap((operation) => {
    const { body, reply } = operation
    if (body && !body.isForm) typeOf(body.schema, onName)
    if (reply) typeOf(reply, onName)
    return parametersType(operation, onName)
  })
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
    if (!written.has(name)) written.set(name, declaration(document, name, onName))
  const types = [...written].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  const { name, module } = NARROWED
  const imports = `import type { ${name} } from '${module}'\nimport type { UnlistedEvent } from '../unlisted.ts'\n\n`
  return `${HEADER}${imports}export type { ${name} }\n\n${[...types, ...parameters].join('\n')}`
}

function declaration(document: Part, name: string, onName: (name: string) => void): string {
  const schema = schemaOf(document, name)
  const comment = docComment(schema['description'])
  const narrowed = narrowing(schema, document, onName)
  if (narrowed) return `${comment}export type ${name} = ${narrowed}\n`
  const isPlain = schema['properties'] !== undefined && schema['allOf'] === undefined && !schema['additionalProperties']
  return isPlain
    ? `${comment}export interface ${name === NARROWED.name ? NARROWED.base : name} {\n${fieldsOf(schema, onName)}}\n`
    : `${comment}export type ${name} = ${typeOf(schema, onName)}${name === EVENT ? ' | UnlistedEvent' : ''}\n`
}

/** The type of a schema that another one narrows, as each event does: its fields replace those of the other. */
function narrowing(schema: Part, document: Part, onName: (name: string) => void): string | null {
  const [base, own, ...more] = listOf(schema['allOf'])
  const baseName = referredName(base)
  const properties = Object.keys(partOf(partOf(own)['properties']))
  if (baseName === undefined || properties.length === 0 || more.length > 0) return null
  onName(baseName)
  const inherited = schemaOf(document, baseName)
  const required = [...listOf(inherited['required']), ...listOf(partOf(own)['required'])].filter((name) =>
    properties.includes(String(name)),
  )
  const replaced = properties.filter((name) => name in partOf(inherited['properties'])).map((name) => `'${name}'`)
  const rest = replaced.length > 0 ? `Omit<${baseName}, ${replaced.join(' | ')}>` : baseName
  return `${rest} & {\n${fieldsOf({ ...partOf(own), required }, onName)}}`
}

/** The type of the parameters of an operation, unless its body alone has them. */
function parametersType(operation: Operation, onName: (name: string) => void): string[] {
  const { query, body, summary } = operation
  if (query.length === 0 || body?.isForm) return []
  const schema = {
    properties: Object.fromEntries(query.map((one) => [String(one['name']), withDescription(one)])),
    required: query.filter((one) => one['required'] === true).map((one) => String(one['name'])),
  }
  const bodyName = body ? referredName(body.schema) : undefined
  const base = bodyName ? ` extends ${bodyName}` : ''
  const about = docComment(`Parameters of "${summary}".`)
  return [`${about}export interface ${typeName(operation, 'Params')}${base} {\n${fieldsOf(schema, onName)}}\n`]
}

const withDescription = (parameter: Part) => ({
  ...partOf(parameter['schema']),
  description: parameter['description'] ?? partOf(parameter['schema'])['description'],
})

/** The module of the codes of problems, each with the members that it adds. */
export function emitErrors(document: Part): string {
  const schemas = Object.values(partOf(partOf(document['components'])['schemas']))
  const problems = new Map<string, { about: string; schema: Part }>()
  for (const schema of schemas) {
    const [base, own] = listOf(partOf(schema)['allOf'])
    const { code, ...more } = partOf(partOf(own)['properties'])
    const constant = partOf(code)['const']
    if (referredName(base) !== 'Problem' || typeof constant !== 'string') continue
    problems.set(constant, { about: String(partOf(code)['description']), schema: { properties: more } })
  }
  const names = new Set<string>()
  const members = [...problems]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { about, schema }]) => {
      const fields = fieldsOf(schema, (name) => void names.add(name))
      return `  ${docComment(about).trimEnd()}\n  ${code}: ${fields === '' ? 'unknown' : `{\n${fields}}`}\n`
    })
  const imports = names.size > 0 ? `import type { ${[...names].sort().join(', ')} } from './schemas.gen.ts'\n\n` : ''
  return `${HEADER}${imports}/** The members that a problem adds to those of every problem, by its \`code\`. */
export interface ProblemMembers {\n${members.join('')}}\n`
}

/** Throws if a parameter of a path is unknown to the operation. */
export function pathParametersOf(
  document: Part,
  { path, pathParameters }: Operation,
): { name: string; schema: Part }[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const found = pathParameters.find((parameter) => parameter['name'] === name)
    if (!found) throw new Error(`${path} does not describe ${name}`)
    return { name, schema: { ...partOf(found['schema']), ...follow(document, found['schema']) } }
  })
}
