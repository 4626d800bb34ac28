import { contract, findOperation, type Operation, responseOf } from './contract.ts'
import type { InterfaceFields } from './interface-fields.ts'

interface Schema {
  $ref?: string
  anyOf?: unknown[]
  oneOf?: unknown[]
  allOf?: unknown[]
  properties?: Record<string, unknown>
  required?: string[]
  items?: unknown
  enum?: unknown[]
  const?: unknown
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: unknown
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}

function isParameter(value: unknown): value is Parameter {
  return typeof value === 'object' && value !== null && 'name' in value && 'in' in value
}

/** What a `$ref` points to, or the value itself. */
function follow(value: unknown): unknown {
  if (!isSchema(value) || value.$ref === undefined) return value
  const names = value.$ref.split('/').slice(1)
  return follow(names.reduce<unknown>((at, name) => Object(at)[name], contract().document))
}

/** The schemas that a schema is made of: those of a union, and of an intersection. */
function partsOf(value: unknown): Schema[] {
  const schema = follow(value)
  if (!isSchema(schema)) return []
  return [schema, ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((parts) => parts ?? []).flatMap(partsOf)]
}

interface Found {
  schema: unknown
  always: boolean
}

/** What stands at a path such as `users[].email`, in each part of a union that has it. A `?` within is no matter. */
function find(schema: unknown, path: string): Found[] {
  const steps = path.replaceAll('[]', '.[]').replaceAll('?', '').split('.')
  return steps.reduce<Found[]>(
    (places, step) => places.flatMap((place) => descend(place, step)),
    [{ schema, always: true }],
  )
}

function descend({ schema }: Found, step: string): Found[] {
  return partsOf(schema).flatMap(({ items, properties = {}, required = [] }) => {
    const found = step === '[]' ? items : properties[step]
    return found === undefined ? [] : [{ schema: found, always: step === '[]' || required.includes(step) }]
  })
}

function valuesOf(schema: unknown): unknown[] {
  return partsOf(schema).flatMap((part) => [...(part.enum ?? []), ...('const' in part ? [part.const] : [])])
}

/** The parameters of one place as the schema of an object. */
function parametersIn(place: string, operation: Operation): Schema {
  const here = (operation.parameters ?? [])
    .map(follow)
    .filter(isParameter)
    .filter((found) => found.in === place)
  return {
    properties: Object.fromEntries(here.map(({ name, schema }) => [name, schema ?? {}])),
    required: here.filter(({ required }) => required).map(({ name }) => name),
  }
}

function faultsOfFields(place: string, schema: Schema, { required = [], optional = [] }: InterfaceFields['body'] & {}) {
  const demanded = partsOf(schema).flatMap((part) => part.required ?? [])
  const known = (name: string) => find(schema, name).length > 0
  return [
    ...[...required, ...optional].filter((name) => !known(name)).map((name) => `takes no ${place}.${name}`),
    ...required
      .filter((name) => known(name) && !demanded.includes(name))
      .map((name) => `does not require ${place}.${name}`),
    ...demanded.filter((name) => !required.includes(name)).map((name) => `requires ${place}.${name}`),
  ]
}

function faultsOfAnswer(schema: unknown, paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const found = find(schema, path)
    const name = path.replaceAll('?', '')
    if (!found.length) return [`does not answer ${name}`]
    return path.endsWith('?') || found.every(({ always }) => always) ? [] : [`may leave out ${name}`]
  })
}

function faultsOfEnums(schemas: Record<string, unknown>, enums: InterfaceFields['enums'] = {}): string[] {
  return Object.entries(enums).flatMap(([at, values]) => {
    const [place = '', path = ''] = at.split(' ')
    const known = find(schemas[place], path).flatMap(({ schema }) => valuesOf(schema))
    return values.filter((value) => !known.includes(value)).map((value) => `does not know ${value} in ${at}`)
  })
}

/** In what a served row of the interface is not what the table says of it. */
export function faultsOf(method: string, path: string, row: InterfaceFields): string[] {
  const found = findOperation(method, path)
  if (!found) return ['is not served']
  const { operation } = found
  const json = responseOf({ method, ...found }, '200')?.response.content?.['application/json']
  const { content = {} } = operation.requestBody ?? {}
  const body = follow((content['application/json'] ?? content['application/scim+json'])?.schema)
  const schemas = { body: isSchema(body) ? body : {}, query: parametersIn('query', operation), answer: json?.schema }
  const organization = operation.security.some((scheme) => 'apiKey' in scheme) ? ['subOrgId'] : []
  const query = { ...row.query, optional: [...(row.query?.optional ?? []), ...organization] }
  return [
    ...faultsOfFields('body', schemas.body, row.body ?? {}),
    ...faultsOfFields('query', schemas.query, query),
    ...faultsOfFields('header', parametersIn('header', operation), {}),
    ...faultsOfAnswer(schemas.answer, row.answer),
    ...faultsOfEnums(schemas, row.enums),
  ].map((fault) => `${method} ${path} ${fault}`)
}
