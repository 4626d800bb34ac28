import { createHash } from 'node:crypto'
import { NAME } from '../schema.ts'
import { isObject, type Json, type JsonObject } from './openapi-schemas.ts'

/** What an example shows. */
export interface Subject {
  /**
   * The example of a body shows required fields and fields with their own example. The example of a response shows
   * every field.
   */
  of: 'body' | 'answer'
  /** Named in the error for a string without an example. */
  place: string
  /** The resource that the root's `id` belongs to. */
  owner?: string
  /** Given examples by the name of their schema, where a composed example is not enough. */
  given?: Record<string, Json>
}

/**
 * The place in a schema for which an example is composed: the field, and whether its object shows when it was created.
 */
type Place = Subject & { field: string; isRecord: boolean }

/**
 * Composes an example of a schema from `examples`, `const`, `enum`, `default` and formats. The example shows one
 * person in one organization, with the same id for the same thing, times in order, and lists with one page. Throws for
 * a string without an example, and names the place.
 */
export function exampleOf(schema: Json | undefined, subject: Subject): Json {
  return compose(schema, { ...subject, field: '', isRecord: false })
}

function compose(schema: Json | undefined, place: Place): Json {
  const node = isObject(schema) ? schema : {}
  const { examples, enum: values, anyOf, type } = node
  const [given] = [place.given?.[String(node[NAME])], first(examples), node.const, first(values), node.default].filter(
    (value) => value !== undefined,
  )
  if (given !== undefined) return given
  if (Array.isArray(anyOf)) return compose(anyOf[0], place)
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return composeObject(node, place)
    case 'array':
      return node.items === undefined ? [] : [compose(node.items, { ...place, place: `${place.place}[]` })]
    case 'integer':
    case 'number':
      return typeof node.minimum === 'number' ? node.minimum : 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'string':
      return composeString(node, place)
    default:
      return {}
  }
}

/** The examples of a media type: a single one, or several by name. */
export function asExamples(shown: JsonObject): JsonObject {
  const [only, ...more] = Object.values(shown)
  if (more.length === 0) return { example: only }
  const entries = Object.entries(shown)
  return { examples: Object.fromEntries(entries.map(([name, value]) => [name, { summary: name, value }])) }
}

const first = (list: Json | undefined) => (Array.isArray(list) ? list[0] : undefined)

const FORMATS: Record<string, string> = {
  date: '2026-11-22',
  uri: 'https://app.example.com/welcome',
  email: 'ada@acme.example',
}

function composeString({ format }: JsonObject, { field, owner = '', place, isRecord }: Place): string {
  if (format === 'date-time') return timeOf(field, isRecord)
  if (format === 'uuid' || /^(id|sub|sid)$|_id$/.test(snake(field))) return idOf(field, owner)
  const known = FORMATS[String(format)]
  if (known !== undefined) return known
  throw new Error(`${place} is a string without an example: give its schema \`examples\``)
}

function composeObject(node: JsonObject, place: Place): JsonObject {
  const { properties = {}, required = [], [NAME]: name } = node
  const fields = Object.entries(isObject(properties) ? properties : {})
  const isShown = (field: string, schema: JsonObject) =>
    place.of === 'answer' ||
    Object(required).includes(field) ||
    'examples' in schema ||
    'examples' in Object(first(schema.anyOf))
  const isRecord = fields.some(([field]) => snake(field) === 'created_at')
  const owner = typeof name === 'string' ? name : place.field || place.owner
  const entries = fields
    .filter(([field, schema]) => isShown(field, Object(schema)))
    .map(([field, schema]): [string, Json] => {
      const within = { ...place, place: `${place.place}.${field}`, field, isRecord }
      return [field, compose(schema, owner === undefined ? within : { ...within, owner })]
    })
  return asOnlyPage(Object.fromEntries(entries), Object(properties))
}

/**
 * A list with a single page: no more rows, no cursor unless one is always present, and a total equal to the rows
 * shown.
 */
function asOnlyPage(example: JsonObject, properties: JsonObject): JsonObject {
  if (!('has_more' in properties)) return example
  const rows = Object.values(example).find((value) => Array.isArray(value)) ?? []
  return {
    ...example,
    has_more: false,
    ...('anyOf' in Object(properties.next_cursor) ? { next_cursor: null } : {}),
    ...('total' in properties ? { total: rows.length } : {}),
  }
}

/** Collects the first example of each named object in an example, by the name of its schema. */
export function noteRecords(schema: Json | undefined, example: Json | undefined, records: Map<string, Json>): void {
  const { [NAME]: name, anyOf, items, properties } = isObject(schema) ? schema : {}
  if (Array.isArray(anyOf)) noteRecords(anyOf[0], example, records)
  if (Array.isArray(example)) for (const item of example) noteRecords(items, item, records)
  if (!isObject(example)) return
  if (typeof name === 'string' && !records.has(name)) records.set(name, example)
  for (const [field, inner] of Object.entries(Object(properties))) noteRecords(Object(inner), example[field], records)
}

/** Ids of the people and things in all examples. The actor is the key that makes the requests. */
const CAST: Record<string, string> = {
  account: '0198b6f1-c4e2-7b60-8d17-95f3a2c06e4b',
  actor: '0198b6f1-e0a7-7c44-9b1d-58f2c6a3e970',
  organization: '0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce',
  user: '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21',
  auth_account: '0198b6f2-81d0-7b55-8c0e-2f64a9d7b310',
  session: '0198b6f2-9a3c-7e18-b1d4-6c7f20e5a841',
}

/** Fields and schemas whose names differ from what they stand for. */
const MEANINGS: Record<string, string> = {
  user_id: 'auth_account',
  sub: 'auth_account',
  directory_user: 'user',
  mfa_policy_subject: 'user',
  sid: 'session',
  org: 'organization',
  sub_org: 'organization',
  parent: 'parent_organization',
  device_trust: 'trusted_device',
}

/** The example of an id. It is the same for every field with this name or for a thing with this name. */
export function idOf(field: string, owner: string): string {
  const name = snake(field === 'id' ? owner : field)
  const noun = name.replace(/_id$/, '').replace(/^made_/, '')
  const meaning = MEANINGS[name] ?? MEANINGS[noun] ?? noun
  const hex = createHash('sha256').update(meaning).digest('hex')
  return CAST[meaning] ?? `0198b6f2-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`
}

/** When the things in the examples were created. */
export const CREATED_AT = '2026-11-22T09:30:00.000Z'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * Things are created before they are used. Records such as sessions last for weeks, codes and challenges for minutes.
 */
function timeOf(field: string, isRecord: boolean): string {
  const offsets: [RegExp, number][] = [
    [/grace/, 14 * DAY],
    [/trusted_device_expires/, 30 * DAY],
    [/expires/, isRecord ? 30 * DAY : 10 * MINUTE],
    [/^last_/, 35 * MINUTE],
    [/^updated/, 40 * MINUTE],
    [/^revoked/, 50 * MINUTE],
  ]
  const [, afterMs = 0] = offsets.find(([names]) => names.test(snake(field))) ?? []
  return new Date(Date.parse(CREATED_AT) + afterMs).toISOString()
}

/** `createdAt` and `CreatedAt` → `created_at`. */
export function snake(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
