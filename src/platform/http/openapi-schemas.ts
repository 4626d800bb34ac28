import { NAME } from '../schema.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined }
export type JsonObject = { [key: string]: Json | undefined }

/** Keywords that only this service uses. */
const OWN = new Set([NAME, 'x-form', 'examples'])

/** The named schemas of a document. */
export interface Components {
  schemas: Map<string, Json>
  /** The schema as it appears in the document: named schemas are stored under their name and referenced. */
  refer(schema: unknown): Json
  /** The same for a schema that takes the given name unless it has its own. */
  referAs(name: string, schema: unknown): Json
}

/** An empty collection. `refer` throws when one name stands for two schemas. */
export function collectSchemas(): Components {
  const schemas = new Map<string, Json>()

  function keep(name: string, schema: JsonObject): Json {
    const known = schemas.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`The name ${name} stands for two schemas`)
    schemas.set(name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    const name = value[NAME]
    const plain = withoutOwn(value)
    return typeof name === 'string' ? keep(name, plain) : plain
  }

  function withoutOwn(value: JsonObject): JsonObject {
    const kept = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
      if (OWN.has(key) || inner === undefined) return []
      // `properties` holds names of the data, which may be anything, even `examples`.
      if (key === 'properties') return [[key, walkProperties(inner)]]
      return [[key, walk(inner)]]
    })
    return Object.fromEntries(kept)
  }

  function walkProperties(properties: Json): Json {
    if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return properties
    return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, walk(inner ?? {})]))
  }

  const refer = (schema: unknown) => walk(toJson(schema))
  return {
    schemas,
    refer,
    referAs(name, schema) {
      const found = refer(schema)
      return isReference(found) || typeof found !== 'object' || found === null || Array.isArray(found)
        ? found
        : keep(name, found)
    },
  }
}

function isReference(value: Json): boolean {
  return typeof value === 'object' && value !== null && '$ref' in value
}

/** TypeBox schemas are JSON Schema; anything else they carry does not survive JSON. */
export function toJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value))
}

/** `users.list` → `UsersList`, `user_not_found` → `UserNotFound`. */
export function pascal(name: string): string {
  const words = name.match(/[A-Za-z0-9]+/g) ?? []
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
