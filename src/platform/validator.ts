import { Ajv, type AnySchemaObject, type ErrorObject, str, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Static, TSchema } from 'typebox'
import { isId } from './ids.ts'
import { isLocale, LOCALE_FORMAT } from './messages/locale.ts'

/** Of values that have the types of their schema; tells the first thing that is wrong. */
export const exact = makeAjv(false, false)

export function makeAjv(coerceTypes: boolean, allErrors: boolean): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    allErrors,
    verbose: true,
    strict: false,
    removeAdditional: false,
    useDefaults: false,
    // Ours are valid: to compile the schema of schemas takes longer than any of them.
    meta: false,
    validateSchema: false,
  })
  addFormats.default(ajv)
  // In either case (RFC 9562 §4). Ajv's own accepts a `urn:uuid:` prefix too, which PostgreSQL refuses.
  ajv.addFormat('uuid', (text: string) => isId(text.toLowerCase()))
  ajv.addFormat(LOCALE_FORMAT, isLocale)
  // Ajv's own count the characters of every text. There are at most as many as UTF-16 units, and at least half.
  addLength(
    ajv,
    'maxLength',
    'more',
    (text, limit) => text.length <= limit || countCharacters(text, limit + 1) <= limit,
  )
  addLength(
    ajv,
    'minLength',
    'fewer',
    (text, limit) => text.length >= 2 * limit || countCharacters(text, limit) >= limit,
  )
  if (allErrors) boundPatterns(ajv)
  return ajv
}

/** A text that is longer than the schema allows is not matched as well: that may take a time of its length squared. */
function boundPatterns(ajv: Ajv): void {
  ajv.removeKeyword('pattern').addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    compile(pattern: string, { maxLength = Number.POSITIVE_INFINITY }: AnySchemaObject) {
      const expression = new RegExp(pattern, 'u')
      return (text: string) => text.length > 2 * maxLength || expression.test(text)
    },
    error: { message: ({ schemaCode }) => str`must match pattern ${schemaCode}` },
  })
}

type Fits = (text: string, limit: number) => boolean

/** Before patterns, which would read a text of any length. */
function addLength(ajv: Ajv, keyword: string, than: string, fits: Fits): void {
  ajv.removeKeyword(keyword).addKeyword({
    keyword,
    before: 'pattern',
    type: 'string',
    schemaType: 'number',
    compile: (limit: number) => (text: string) => fits(text, limit),
    error: { message: ({ schemaCode }) => str`must not have ${than} than ${schemaCode} characters` },
  })
}

/** Code points, which is what JSON Schema limits (Validation §6.3), up to `enough` of them. */
function countCharacters(text: string, enough: number): number {
  let count = 0
  for (const _ of text) if (++count >= enough) break
  return count
}

const validators = new WeakMap<TSchema, ValidateFunction>()

/** What is wrong with a value by a schema, or null. The schema is compiled when it is first used, and kept for good: it is a constant. */
export function findFault(schema: TSchema, value: unknown): ErrorObject | null {
  const validate = validators.get(schema) ?? exact.compile(schema)
  validators.set(schema, validate)
  if (validate(value)) return null
  const [fault] = validate.errors ?? []
  // They hold the value, which may be a secret.
  validate.errors = null
  if (!fault) throw new Error('A validator has refused a value and does not say why')
  return fault
}

/** Whether a value is as its schema says, such as one of the database, where other releases have written. */
export function fits<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return findFault(schema, value) === null
}
