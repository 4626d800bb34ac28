import type { ErrorObject, ValidateFunction } from 'ajv'
import { type TSchema, Type } from 'typebox'
import { type FieldError, httpErrors } from '../errors.ts'
import { findNearest } from '../nearest.ts'
import { isCheckedApart } from '../schema.ts'
import { exact, makeAjv } from '../validator.ts'
import { refuseHostile } from './hostile.ts'

// Query and path consist of text, so their types are coerced. A JSON body states its types (RFC 8259), so they are
// not.
const bodies = { first: exact, all: makeAjv(false, true) }
const texts = { first: makeAjv(true, false), all: makeAjv(true, true) }

export type Part = 'body' | 'query' | 'params'

/** A validator for one part of a request. It throws `invalid_request` and names every invalid field. */
export function compileValidator(given: TSchema, part: Part): (value: unknown) => void {
  const { schema, apart } = setApart(given)
  const { first: quick, all } = part === 'body' ? bodies : texts
  // Compiled at the first use. Otherwise a start would spend a quarter of its time on routes that are not called for
  // hours.
  let decide: ValidateFunction | null = null
  let explain: ValidateFunction | null = null
  const takesEmpty = isOptionalThroughout(schema)
  return (value) => {
    if (takesEmpty && isEmpty(value)) return
    refuseHostile(value, part, apart)
    decide ??= quick.compile(schema)
    if (decide(value)) return
    // A validator keeps its last errors, and each error keeps the value, which may be a secret.
    decide.errors = null
    explain ??= all.compile(schema)
    explain(value)
    const found = explain.errors ?? []
    explain.errors = null
    const errors = found
      .filter((error) => error.keyword !== 'anyOf' && !isNullBranch(error))
      .slice(0, 50)
      .map(toFieldError)
    // A misspelt name explains a missing one.
    const guess = errors.find(({ message }) => message.endsWith('?'))?.message
    const first = errors[0]?.message ?? `The ${part} is invalid`
    throw httpErrors.invalidRequest({ detail: guess ?? `${first}.`, errors })
  }
}

/** Removes the schemas of list items that a rule checks separately. Returns the names of these lists as `apart`. */
function setApart(schema: TSchema): { schema: TSchema; apart: ReadonlySet<string> } {
  if (!Type.IsObject(schema)) return { schema, apart: new Set() }
  const lists = Object.entries(schema.properties).filter(([, property]) => isCheckedApart(property))
  if (lists.length === 0) return { schema, apart: new Set() }
  const opened = Object.fromEntries(lists.map(([name, list]) => [name, { ...list, items: {} }]))
  return {
    schema: { ...schema, properties: { ...schema.properties, ...opened } },
    apart: new Set(lists.map(([name]) => name)),
  }
}

/** Whether the schema only restricts which properties an object may have, and requires none. */
function isOptionalThroughout(schema: TSchema): boolean {
  const described = new Set(['type', 'properties', 'required', 'additionalProperties', 'description', 'title'])
  const required: unknown = Reflect.get(schema, 'required')
  return Object.keys(schema).every((key) => described.has(key)) && !(Array.isArray(required) && required.length)
}

/** Whether a value is `{}`, which clients often send if they have no parameters. */
export function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

/** For a field that may be null, errors do not mention that the value is not null. */
function isNullBranch({ keyword, params, schemaPath }: ErrorObject): boolean {
  return keyword === 'type' && params['type'] === 'null' && schemaPath.includes('/anyOf/')
}

const TYPES_IN_WORDS: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

/** The names in a JSON pointer (RFC 6901). The request chose some of them. */
function readPointer(pointer: string): string[] {
  const names = pointer.split('/').slice(1)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function toFieldError(error: ErrorObject): FieldError {
  const path = readPointer(error.instancePath).join('.').slice(0, 200)
  const inside = (name: unknown) => (path ? `${path}.${String(name)}` : String(name))
  switch (error.keyword) {
    case 'required': {
      const field = inside(error.params['missingProperty'])
      return { field, code: 'required', message: `${field} is required` }
    }
    case 'additionalProperties': {
      const name = String(error.params['additionalProperty'])
      const field = inside(name).slice(0, 200)
      const elsewhere: unknown = Object(error.parentSchema?.['x-elsewhere'])[name]
      const nearest = findNearest(name, Object.keys(error.parentSchema?.['properties'] ?? {}))
      const guess = nearest ? `: did you mean ${inside(nearest)}?` : ''
      const hint = typeof elsewhere === 'string' ? `: ${elsewhere}` : guess
      return { field, code: 'unknown_property', message: `${field} is not a known property${hint}` }
    }
    case 'enum': {
      const allowed: unknown = error.params['allowedValues']
      const list = Array.isArray(allowed) ? allowed.map((value) => JSON.stringify(value)).join(', ') : ''
      return { field: path, code: 'enum', message: `${path} must be one of ${list}` }
    }
    case 'format':
    case 'pattern': {
      // A regular expression does not help people, so the schema has the rule in words.
      const form: unknown = error.parentSchema?.['x-form']
      const example = error.params['format'] === 'date-time' ? ', such as 2030-01-31T12:00:00Z' : ''
      const rule = typeof form === 'string' ? `must be ${form}` : `${error.message ?? 'is invalid'}${example}`
      return { field: path, code: error.keyword, message: `${path} ${rule}` }
    }
    case 'type': {
      const types = [error.params['type']].flat().map((type) => TYPES_IN_WORDS[type] ?? type)
      return { field: path, code: 'type', message: `${path || 'The body'} must be ${types.join(' or ')}` }
    }
    default:
      return { field: path, code: error.keyword, message: `${path || 'The body'} ${ruleInWords(error)}` }
  }
}

/** Describes Ajv's error. Messages name limits and types, never the value that was sent. */
function ruleInWords({ keyword, parentSchema, message }: ErrorObject): string {
  const mayNotBeEmpty = ['minLength', 'minItems'].includes(keyword) && parentSchema?.[keyword] === 1
  return mayNotBeEmpty ? 'must not be empty' : (message ?? 'is invalid').replace('NOT', 'not')
}
