import type { Json, JsonObject } from './openapi-schemas.ts'

const FORMATS: Record<string, string> = {
  uuid: '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21',
  'date-time': '2026-11-22T09:30:00.000Z',
  date: '2026-11-22',
  uri: 'https://app.example.com/welcome',
  email: 'ada@acme.example',
}

/**
 * An example for a schema, composed from its parts (`examples`, `const`, `enum`, `default`, formats). A body shows
 * required fields and those with their own example, an answer shows every field. Throws for a string without an
 * example, naming the place.
 */
export function exampleOf(schema: Json | undefined, of: 'body' | 'answer', place: string): Json {
  const node = asObject(schema)
  const { examples, enum: values, anyOf, type } = node
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0]
  if (node.const !== undefined) return node.const
  if (Array.isArray(values) && values[0] !== undefined) return values[0]
  if (node.default !== undefined) return node.default
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0], of, place)
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return exampleObject(node, of, place)
    case 'array':
      return node.items === undefined ? [] : [exampleOf(node.items, of, `${place}[]`)]
    case 'integer':
    case 'number':
      return typeof node.minimum === 'number' ? node.minimum : 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'string': {
      const known = typeof node.format === 'string' ? FORMATS[node.format] : undefined
      if (known !== undefined) return known
      throw new Error(`${place} is a string without an example: give its schema \`examples\``)
    }
    default:
      return {}
  }
}

function exampleObject(node: JsonObject, of: 'body' | 'answer', place: string): JsonObject {
  const required = new Set(Array.isArray(node.required) ? node.required : [])
  const entries = Object.entries(asObject(node.properties)).filter(
    ([name, field]) => of === 'answer' || required.has(name) || hasExample(asObject(field)),
  )
  return Object.fromEntries(entries.map(([name, field]) => [name, exampleOf(field, of, `${place}.${name}`)]))
}

/** Whether a field has its own example, or its first alternative has. */
function hasExample(field: JsonObject): boolean {
  return 'examples' in field || (Array.isArray(field.anyOf) && 'examples' in asObject(field.anyOf[0]))
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
