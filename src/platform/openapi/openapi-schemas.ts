import { RECURRING_FIELDS } from '../../contract/fields.ts'
import { HERE, NAME, SECRET } from '../schema.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }
export type JsonObject = { [key: string]: Json | undefined }

/** Keywords that only this service uses. */
const OWN = new Set([NAME, HERE, SECRET, 'x-form', 'x-elsewhere', 'examples'])

/** The named schemas of a document. */
export interface Components {
  schemas: Map<string, Json>
  /** Returns the schema as it appears in the document. Named schemas are stored under their name and referenced. */
  refer(schema: unknown): Json
  /** Gives a named schema a form in the document that says more than what the service checks. */
  define(named: object, form: JsonObject): void
  /** Returns the same for a schema that gets this name unless it has its own. */
  referAs(name: string, schema: unknown): Json
}

/** Makes an empty collection. `refer` throws if two schemas have the same name. */
export function collectSchemas(): Components {
  const schemas = new Map<string, Json>()
  const defined = new Set<string>()

  function keep(name: string, schema: JsonObject): Json {
    if (defined.has(name)) return { $ref: `#/components/schemas/${name}` }
    const known = schemas.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`The name ${name} stands for two schemas`)
    schemas.set(name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    const node = orNull(value)
    const name = node[NAME]
    const plain = withoutOwn(node)
    if (typeof name !== 'string') return plain
    const reference = keep(name, plain)
    return typeof node[HERE] === 'string' ? { ...Object(reference), description: node[HERE] } : reference
  }

  function withoutOwn(value: JsonObject): JsonObject {
    const kept = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
      if (OWN.has(key) || inner === undefined) return []
      // `properties` contains names of the data, which may be any text, even `examples`.
      if (key === 'properties') return [[key, walkProperties(inner)]]
      return [[key, walk(inner)]]
    })
    return Object.fromEntries(kept)
  }

  function walkProperties(properties: Json): Json {
    if (!isObject(properties)) return properties
    const fields = Object.entries(properties)
    return Object.fromEntries(fields.map(([name, inner]) => [name, describeField(name, walk(inner ?? {}), schemas)]))
  }

  const refer = (schema: unknown) => walk(toJson(schema))
  return {
    schemas,
    refer,
    define(named, form) {
      const name = String(Reflect.get(named, NAME))
      defined.add(name)
      schemas.set(name, form)
    },
    referAs(name, schema) {
      const found = refer(schema)
      return isReference(found) || !isObject(found) ? found : keep(name, found)
    },
  }
}

/** The schema of a field. If it has no description, the usual one for fields with its name is added. */
function describeField(name: string, schema: Json, schemas: ReadonlyMap<string, Json>): Json {
  const meaning = RECURRING_FIELDS.get(name)
  if (meaning === undefined || !isObject(schema) || saysWhatItIs(schema, schemas)) return schema
  return { ...schema, description: meaning }
}

/** Whether the schema has a description, or the schema that it refers to or makes nullable has one. */
function saysWhatItIs(schema: JsonObject, schemas: ReadonlyMap<string, Json>): boolean {
  if (typeof schema.description === 'string') return true
  const named = typeof schema.$ref === 'string' ? schemas.get(schema.$ref.split('/').at(-1) ?? '') : undefined
  if (isObject(named)) return saysWhatItIs(named, schemas)
  return Array.isArray(schema.anyOf) && schema.anyOf.some((arm) => isObject(arm) && saysWhatItIs(arm, schemas))
}

const VALUES = ['string', 'integer', 'number', 'boolean']

/**
 * Makes a schema nullable in the shortest form: a simple type becomes two types, and a nullable schema stays
 * unchanged.
 */
function orNull(value: JsonObject): JsonObject {
  const { anyOf, ...rest } = value
  const [inner, none] = Array.isArray(anyOf) ? anyOf : []
  if (!isObject(inner) || !isObject(none) || none.type !== 'null') return value
  if (Array.isArray(inner.anyOf) && inner.anyOf.some((arm) => isObject(arm) && arm.type === 'null'))
    return orNull({ ...inner, ...rest })
  const isValue = typeof inner.type === 'string' && VALUES.includes(inner.type)
  if (!isValue || NAME in inner || 'enum' in inner || 'const' in inner) return value
  return { ...inner, ...rest, type: [String(inner.type), 'null'] }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isReference(value: Json): boolean {
  return isObject(value) && '$ref' in value
}

/** TypeBox schemas are JSON Schema. Anything else in them is lost in JSON. */
export function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value))
}

/** `users.list` → `UsersList`, `user_not_found` → `UserNotFound`. */
export function pascal(name: string): string {
  const words = name.match(/[A-Za-z0-9]+/g) ?? []
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
