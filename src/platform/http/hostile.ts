import { invalidField } from '../errors.ts'

const MAX_DEPTH = 20
// More values than any request needs. Checking a million values would delay all other requests.
export const MAX_VALUES = 10_000
const POISON = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Refuses content that no field may have: keys that reach a prototype (ASVS 15.3.6), NUL and lone surrogates, which
 * PostgreSQL cannot store, and nesting or numbers of values that only an attacker would send. Checks at most
 * `MAX_VALUES` values, and skips the fields in `apart`, which are checked separately. Throws `invalid_request`.
 */
export function refuseHostile(value: unknown, part: string, apart: ReadonlySet<string>): void {
  const path: string[] = []
  let left = MAX_VALUES
  const refuse = (code: string, message: string): never => {
    const field = path.length > 0 ? path.join('.').slice(0, 200) : part
    throw invalidField(field, code, `${field} ${message}`)
  }
  const look = (value: unknown): void => {
    if (--left < 0) refuse('size', `exceeds the limit of ${MAX_VALUES} values in the ${part}`)
    if (typeof value === 'string') {
      if (value.includes('\u0000') || !value.isWellFormed()) refuse('encoding', 'contains characters that are not text')
      return
    }
    if (typeof value !== 'object' || value === null) return
    if (path.length >= MAX_DEPTH) refuse('depth', `is nested deeper than ${MAX_DEPTH} levels`)
    if (Array.isArray(value)) {
      // Loops by index, because iterating over keys would convert each index to text first.
      for (let n = 0; n < value.length; n++) enter(String(n), value[n])
      return
    }
    for (const key of Object.keys(value)) {
      if (POISON.has(key)) refuse('forbidden_key', 'has a forbidden key')
      if (key.includes('\u0000') || !key.isWellFormed()) refuse('encoding', 'has a key that is not text')
      if (path.length === 0 && apart.has(key)) continue
      enter(key, Reflect.get(value, key))
    }
  }
  const enter = (key: string, value: unknown): void => {
    path.push(key)
    look(value)
    path.pop()
  }
  look(value)
}
