import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from './openapi-schemas.ts'

type Schemas = Map<string, Json>

/**
 * Moves examples to where they are said once: that of a record to the record's schema, and values beside records to
 * their fields. A content keeps its example only where its schema, read by `exampleWithin`, gives another. Changes what it
 * is given: `contents` are all objects with `schema` and `example`.
 */
export function shareExamples(contents: JsonObject[], schemas: Schemas): void {
  const found = contents.flatMap(({ schema, example }) => {
    const whole = schemas.get(nameOf(String(asObject(schema).$ref)))
    return [...recordsWithin(holdsRecords(whole, schemas) ? whole : schema, example, schemas)]
  })
  for (const [name, values] of Map.groupBy(found, ([name]) => name)) {
    const byText = [...Map.groupBy(values, ([, value]) => JSON.stringify(value)).values()]
    const [[, most = null] = []] = byText.sort((a, b) => b.length - a.length)[0] ?? []
    const record = asObject(schemas.get(name))
    record.examples = [most]
  }
  for (const content of contents) {
    if (!isDeepStrictEqual(exampleWithin(content.schema, schemas), content.example)) sayAtFields(content, schemas)
    if (isDeepStrictEqual(exampleWithin(content.schema, schemas), content.example)) delete content.example
  }
}

/**
 * The example that a schema of the document gives by its parts: `examples`, `const`, the first of `enum`, `default`, the
 * first of alternatives, all properties of an object, one item of a list. Undefined if a part gives none.
 */
export function exampleWithin(schema: Json | undefined, schemas: Schemas): Json | undefined {
  const node = asObject(schema)
  if (Array.isArray(node.examples)) return node.examples[0]
  if (typeof node.$ref === 'string') return exampleWithin(schemas.get(nameOf(node.$ref)), schemas)
  if (node.const !== undefined) return node.const
  if (Array.isArray(node.enum)) return node.enum[0]
  if (node.default !== undefined) return node.default
  if (Array.isArray(node.anyOf)) return exampleWithin(node.anyOf[0], schemas)
  if (node.type === 'boolean') return true
  if (node.type === 'array') {
    const item = exampleWithin(node.items, schemas)
    return item === undefined ? undefined : [item]
  }
  if (node.properties === undefined) return undefined
  const fields = Object.entries(asObject(node.properties)).map(([name, field]) => [name, exampleWithin(field, schemas)])
  return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields)
}

/** Whether an answer is fields of records and lists of them: no record itself. */
function holdsRecords(schema: Json | undefined, schemas: Schemas): boolean {
  return Object.values(asObject(asObject(schema).properties)).some((field) => {
    const { $ref = asObject(asObject(field).items).$ref } = asObject(field)
    return isRecord(schemas.get(nameOf(String($ref))))
  })
}

/** An object, or one of several. */
function isRecord(schema: Json | undefined): boolean {
  const { properties, oneOf } = asObject(schema)
  return (properties ?? oneOf) !== undefined
}

/** The outermost records of an example, each with the name of its schema. */
function* recordsWithin(
  schema: Json | undefined,
  value: Json | undefined,
  schemas: Schemas,
): Generator<[string, Json]> {
  const node = asObject(schema)
  const name = typeof node.$ref === 'string' ? nameOf(node.$ref) : ''
  const named = schemas.get(name)
  if (value === undefined || value === null) return
  if (named !== undefined) {
    // The body of one operation has its example there.
    if (isRecord(named) && !name.endsWith('Request')) yield [name, value]
  } else if (Array.isArray(node.anyOf)) yield* recordsWithin(node.anyOf[0], value, schemas)
  else if (Array.isArray(value)) for (const item of value) yield* recordsWithin(node.items, item, schemas)
  else
    for (const [field, inner] of Object.entries(asObject(node.properties)))
      yield* recordsWithin(inner, asObject(value)[field], schemas)
}

/** Gives the fields of an answer examples, where that says less than its example does. */
function sayAtFields({ schema, example }: JsonObject, schemas: Schemas): void {
  const name = nameOf(String(asObject(schema).$ref))
  const reply = asObject(schemas.get(name))
  const properties = Object.entries(asObject(reply.properties))
  const values = asObject(example)
  if (properties.some(([field]) => values[field] === undefined)) return
  const others = properties.filter(([field, inner]) => !isDeepStrictEqual(exampleWithin(inner, schemas), values[field]))
  const said = others.map(([field, inner]): [string, JsonObject] => [
    field,
    { ...asObject(inner), examples: [values[field] ?? null] },
  ])
  if (others.some(([, inner]) => 'examples' in asObject(inner)) || said.length === properties.length) return
  const cost = JSON.stringify(others.map(([field]) => ({ examples: [values[field]] }))).length
  if (cost < JSON.stringify(example).length)
    reply.properties = { ...asObject(reply.properties), ...Object.fromEntries(said) }
}

function nameOf(ref: string): string {
  return ref.split('/').at(-1) ?? ''
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

/** Every content of a part of a document: what has a schema and an example. */
export function* contentsWithin(value: Json | undefined): Generator<JsonObject> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const item of value) yield* contentsWithin(item)
  else if ('schema' in value && 'example' in value) yield value
  else for (const item of Object.values(value)) yield* contentsWithin(item)
}
