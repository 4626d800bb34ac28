import { NAME } from '../schema.ts'
import { idOf, isIdField, snake, timeOf } from './openapi-example-values.ts'
import type { Json, JsonObject } from './openapi-schemas.ts'

/** What an example is of. */
export interface Subject {
  /** A body shows required fields and those with their own example, an answer shows every field. */
  of: 'body' | 'answer'
  /** Named in the error for a string without an example. */
  place: string
  /** Something that was made just now: it has not been used or changed. */
  isNew?: boolean
  /** What the `id` at the root is of. */
  owner?: string
  /** Examples by the name of their schema, where composing one is not enough. */
  given?: Record<string, Json>
}

/** Where in a schema an example is being composed. */
interface Place extends Required<Subject> {
  /** The name of the field. */
  field: string
  /** Whether the field's object says when it was created. */
  isRecord: boolean
}

/**
 * An example for a schema, composed from its parts (`examples`, `const`, `enum`, `default`, formats) so that it does not
 * contradict itself: one person of one organization, the same id for the same thing, times in their order, and lists of
 * one page. Throws for a string without an example, naming the place.
 */
export function exampleOf(schema: Json | undefined, subject: Subject): Json {
  return compose(schema, { isNew: false, owner: '', given: {}, ...subject, field: '', isRecord: false })
}

function compose(schema: Json | undefined, place: Place): Json {
  const node = asObject(schema)
  const { examples, enum: values, anyOf, type } = node
  const name = node[NAME]
  if (typeof name === 'string' && place.given[name] !== undefined) return place.given[name]
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0]
  if (node.const !== undefined) return node.const
  if (Array.isArray(values) && values[0] !== undefined) return values[0]
  if (node.default !== undefined) return node.default
  if (Array.isArray(anyOf)) return place.isNew && isUse(place.field) ? null : compose(anyOf[0], place)
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return composeObject(node, place)
    case 'array':
      return node.items === undefined ? [] : [compose(node.items, { ...place, place: `${place.place}[]` })]
    case 'integer':
    case 'number':
      return typeof node.minimum === 'number' ? node.minimum : 1
    case 'boolean':
      // A new address is not proved yet.
      return !(place.isNew && /verified$/i.test(place.field))
    case 'null':
      return null
    case 'string':
      return composeString(node, place)
    default:
      return {}
  }
}

/** Whether a field says when or whence something was last used. */
function isUse(field: string): boolean {
  return /^last_(login|used)/.test(snake(field))
}

const FORMATS: Record<string, string> = {
  date: '2026-11-22',
  uri: 'https://app.example.com/welcome',
  email: 'ada@acme.example',
}

function composeString({ format }: JsonObject, { field, owner, place, ...times }: Place): string {
  if (format === 'date-time') return timeOf(field, times)
  if (format === 'uuid' || isIdField(field)) return idOf(field, owner)
  const known = typeof format === 'string' ? FORMATS[format] : undefined
  if (known !== undefined) return known
  throw new Error(`${place} is a string without an example: give its schema \`examples\``)
}

function composeObject(node: JsonObject, place: Place): JsonObject {
  const required = new Set(Array.isArray(node.required) ? node.required : [])
  const properties = Object.entries(asObject(node.properties))
  const shown = properties.filter(
    ([name, field]) => place.of === 'answer' || required.has(name) || hasExample(asObject(field)),
  )
  const isRecord = properties.some(([name]) => snake(name) === 'created_at')
  const named = node[NAME]
  const owner = typeof named === 'string' ? named : place.field || place.owner
  const entries = shown.map(([name, field]): [string, Json] => [
    name,
    compose(field, { ...place, place: `${place.place}.${name}`, field: name, owner, isRecord }),
  ])
  return asOnlyPage(Object.fromEntries(entries), asObject(node.properties))
}

/** A list as its only page: no more, no cursor unless there always is one, and as many in total as are shown. */
function asOnlyPage(example: JsonObject, properties: JsonObject): JsonObject {
  if (!('has_more' in properties)) return example
  const rows = Object.values(example).find((value) => Array.isArray(value)) ?? []
  return {
    ...example,
    has_more: false,
    ...('anyOf' in asObject(properties.next_cursor) ? { next_cursor: null } : {}),
    ...('total' in properties ? { total: rows.length } : {}),
  }
}

/** Whether a field has its own example, or its first alternative has. */
function hasExample(field: JsonObject): boolean {
  return 'examples' in field || (Array.isArray(field.anyOf) && 'examples' in asObject(field.anyOf[0]))
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
