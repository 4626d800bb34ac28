import { type TSchema, Type } from 'typebox'

/** The keyword with a schema's name in the contract. */
export const NAME = 'x-name'

const names = new Set<string>()

/**
 * Names a schema. The contract contains it once, under this name, and generated clients get a type for it. Names are
 * permanent. Throws if another schema has the name or the schema already has one.
 */
export function named<S extends TSchema>(name: string, schema: S): S {
  if (names.has(name)) throw new Error(`Two schemas are named ${name}`)
  if (NAME in schema) throw new Error(`A schema is named both ${schema[NAME]} and ${name}`)
  names.add(name)
  return Object.assign(schema, { [NAME]: name })
}

const apart = new WeakSet<object>()

/**
 * A list in a body whose items the pipeline does not check. A rule checks each item separately, once it has counted
 * them.
 */
export function checkedApart<S extends TSchema>(list: S): S {
  apart.add(list)
  return list
}

export function isCheckedApart(schema: TSchema): boolean {
  return apart.has(schema)
}

/** The keyword with the meaning of a named schema in one place. */
export const HERE = 'x-here'

/** The schema, with a description for one place where it is used. */
export function described<S extends TSchema>(schema: S, description: string): S {
  // A spread alone is not enough, because the kind of a schema is not an enumerable property.
  const copy = Object.defineProperties({ ...schema }, Object.getOwnPropertyDescriptors(schema))
  return Object.assign(copy, { [NAME in schema ? HERE : 'description']: description })
}

/** The keyword that marks a secret. */
export const SECRET = 'x-secret'

/** A field, or a list in a body, with a secret that a person may have chosen. It is never stored as a fast hash. */
export function secret<S extends TSchema>(schema: S): S {
  return Object.assign(schema, { [SECRET]: true })
}

export function isSecret(schema: TSchema): boolean {
  return SECRET in schema
}

/** A field that may be null. */
export function nullable<S extends TSchema>(schema: S, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}

/** A text in a response that has one of these values. Values from the database are not checked again. */
export function oneOf(values: readonly string[], options: { description?: string; examples?: string[] } = {}) {
  return Type.Unsafe<string>({ type: 'string', enum: [...values], ...options })
}

/** The number of sessions that a request ended. */
export const RevokedCount = Type.Integer({
  description: 'Number of sessions that ended, counted up to 10 000.',
  examples: [2],
})

/** The response if there is nothing else to return. */
export const Success = named(
  'Success',
  Type.Object({ success: Type.Boolean() }, { description: 'The request succeeded.' }),
)

// Characters that break a line or change the direction of the surrounding text (Cc, Zl, Zp, Bidi_Control). Written as
// escapes that JavaScript, Python and Go all support, or else literally. Nothing beyond U+FFFF, which programs without
// the flag `u` read as two characters.
const UNRULY = '\\x00-\\x1F\\x7F-\\x9F\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069'
// Other characters that are invisible on their own.
const BLANK =
  ' \u00a0\u00ad\u115f\u1160\u1680\u180e\u2000-\u200d\u202f\u205f\u2060-\u2064\u2800\u3000\u3164\ufeff\uffa0'

/** A text that stays on one line and does not affect the text around it in mails and on pages. */
export const ONE_LINE = {
  pattern: `^[^${UNRULY}]*$`,
  'x-form': 'one line of text, without marks that change its direction',
}

// No character matches two adjacent parts. Otherwise the pattern would be tried again from each position.
const NAME_PATTERN = `^[${BLANK}]*[^${BLANK}${UNRULY}][^${UNRULY}]*$`
export const MAX_NAME = 200

/** A name that people choose for a resource. */
export const Name = named(
  'Name',
  Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    pattern: NAME_PATTERN,
    'x-form': 'one line of text, with something to see',
  }),
)

/** Whether a text is a valid name, for names that do not come from a request. */
export const isName = (text: string) => text.length <= MAX_NAME && new RegExp(NAME_PATTERN, 'u').test(text)

const WEEK_SECONDS = 604_800

/**
 * How long the previous secret still works after a new one was made. By default, the previous secret stops working
 * immediately.
 */
export function overlapSeconds(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: WEEK_SECONDS, default: 0, examples: [3600], description }))
}
