import { Ajv, type AnySchemaObject, type ErrorObject, str, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Static, TSchema } from 'typebox'
import { isId } from './ids.ts'
import { isLocale, LOCALE_FORMAT } from './messages/locale.ts'

/** Validates values that already have their schema's types. Reports only the first error. */
export const exact = makeAjv(false, false)

export function makeAjv(coerceTypes: boolean, allErrors: boolean): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    allErrors,
    verbose: true,
    strict: false,
    removeAdditional: false,
    useDefaults: false,
    // Our schemas are valid, and compiling the meta-schema takes longer than compiling any of them.
    meta: false,
    validateSchema: false,
  })
  addFormats.default(ajv)
  // Accepts either case (RFC 9562 §4). Ajv's own format also accepts a `urn:uuid:` prefix, which PostgreSQL refuses.
  ajv.addFormat('uuid', (text: string) => isId(text.toLowerCase()))
  ajv.addFormat(LOCALE_FORMAT, isLocale)
  // Replaces Ajv's length keywords, which count the characters of every text. A text has at most as many characters as
  // UTF-16 units, and at least half as many.
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

/**
 * A text that is longer than the schema allows is not matched with the pattern, because matching may take quadratic
 * time.
 */
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

/** Added before patterns, which would read a text of any length. */
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

/** Counts code points, the unit of JSON Schema's limits (Validation §6.3), up to `enough`. */
function countCharacters(text: string, enough: number): number {
  let count = 0
  for (const _ of text) if (++count >= enough) break
  return count
}

const validators = new WeakMap<TSchema, ValidateFunction>()

/**
 * Returns a value's error by a schema, or null. The schema is compiled at its first use and kept forever, because
 * schemas are constants.
 */
export function findFault(schema: TSchema, value: unknown): ErrorObject | null {
  const validate = validators.get(schema) ?? exact.compile(schema)
  validators.set(schema, validate)
  if (validate(value)) return null
  const [fault] = validate.errors ?? []
  // The errors contain the value, which may be a secret.
  validate.errors = null
  if (!fault) throw new Error('A validator has refused a value and does not say why')
  return fault
}

/** Whether a value matches its schema, for example a value in the database that another release may have written. */
export function fits<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return findFault(schema, value) === null
}
