import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { type FieldError, httpErrors } from '../errors.ts'

const options = { allErrors: true, strict: false, removeAdditional: false, useDefaults: false } as const
// Query and path are text by nature; a body says its types (RFC 8259) and is taken by its word.
const bodies = new Ajv({ ...options, coerceTypes: false })
const texts = new Ajv({ ...options, coerceTypes: true })
addFormats.default(bodies)
addFormats.default(texts)

const MAX_DEPTH = 20
const POISON = new Set(['__proto__', 'constructor', 'prototype'])

export type Part = 'body' | 'query' | 'params'

/** A validator of one part of a request. Throws `invalid_request` with every field that is wrong. */
export function compileValidator(schema: TSchema, part: Part): (value: unknown) => void {
  const validate: ValidateFunction = (part === 'body' ? bodies : texts).compile(schema)
  return (value) => {
    refuseHostile(value, part, 0)
    if (validate(value)) return
    const errors = (validate.errors ?? [])
      .filter((error) => error.keyword !== 'anyOf')
      .slice(0, 50)
      .map(toFieldError)
    const first = errors[0]?.message ?? `The ${part} is invalid`
    throw httpErrors.invalidRequest({ detail: `${first}.`, errors })
  }
}

function toFieldError(error: ErrorObject): FieldError {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const inside = (name: unknown) => (path ? `${path}.${String(name)}` : String(name))
  switch (error.keyword) {
    case 'required': {
      const field = inside(error.params['missingProperty'])
      return { field, code: 'required', message: `${field} is required` }
    }
    case 'additionalProperties': {
      const field = inside(error.params['additionalProperty']).slice(0, 200)
      return { field, code: 'unknown_property', message: `${field} is not a known property` }
    }
    case 'enum': {
      const allowed: unknown = error.params['allowedValues']
      const list = Array.isArray(allowed) ? allowed.map((value) => JSON.stringify(value)).join(', ') : ''
      return { field: path, code: 'enum', message: `${path} must be one of ${list}` }
    }
    default:
      // Ajv's messages name limits and types, never the value that was sent.
      return { field: path, code: error.keyword, message: `${path || 'The body'} ${error.message ?? 'is invalid'}` }
  }
}

/**
 * Refuses what no field may hold: keys that reach a prototype (ASVS 15.3.6), NUL and lone surrogates, which
 * PostgreSQL cannot store, and nesting that only an attacker sends.
 */
function refuseHostile(value: unknown, field: string, depth: number): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000') || !value.isWellFormed())
      refuse(field, 'encoding', 'holds characters that are not text')
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_DEPTH) refuse(field, 'depth', `is nested deeper than ${MAX_DEPTH} levels`)
  for (const key of Object.keys(value)) {
    if (POISON.has(key)) refuse(field, 'forbidden_key', 'has a forbidden key')
    if (key.includes('\u0000') || !key.isWellFormed()) refuse(field, 'encoding', 'has a key that is not text')
    refuseHostile(Reflect.get(value, key), depth === 0 ? key : `${field}.${key}`.slice(0, 200), depth + 1)
  }
}

function refuse(field: string, code: string, message: string): never {
  throw httpErrors.invalidRequest({
    detail: `${field} ${message}.`,
    errors: [{ field, code, message: `${field} ${message}` }],
  })
}
