import { type TSchema, Type } from 'typebox'

/** The keyword that carries a schema's name into the contract. */
export const NAME = 'x-name'

const names = new Set<string>()

/**
 * Names a schema: the contract has it once, under this name, and generated clients get a type for it. A name never
 * changes. Throws for a name that another schema has, and for a schema that has one.
 */
export function named<S extends TSchema>(name: string, schema: S): S {
  if (names.has(name)) throw new Error(`Two schemas are named ${name}`)
  if (NAME in schema) throw new Error(`A schema is named both ${schema[NAME]} and ${name}`)
  names.add(name)
  return Object.assign(schema, { [NAME]: name })
}

const apart = new WeakSet<object>()

/** A list of a body whose items a rule checks, each by itself, once it has counted them: the pipeline looks at none. */
export function checkedApart<S extends TSchema>(list: S): S {
  apart.add(list)
  return list
}

export function isCheckedApart(schema: TSchema): boolean {
  return apart.has(schema)
}

/** The keyword with what a named schema means in its place. */
export const HERE = 'x-here'

/** The schema, with what it means in one place where it is used. */
export function described<S extends TSchema>(schema: S, description: string): S {
  // Not by a spread alone: the kind of a schema is no enumerable property.
  const copy = Object.defineProperties({ ...schema }, Object.getOwnPropertyDescriptors(schema))
  return Object.assign(copy, { [NAME in schema ? HERE : 'description']: description })
}

/** The keyword of a secret. */
export const SECRET = 'x-secret'

/** A field, or a list of a body, with a secret that a person may have chosen. It is never stored as a fast hash. */
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

/** A text of an answer, which is one of these; what the database has is not checked once more. */
export function oneOf(values: readonly string[], options: { description?: string; examples?: string[] } = {}) {
  return Type.Unsafe<string>({ type: 'string', enum: [...values], ...options })
}

/** How many sessions a request ended. */
export const RevokedCount = Type.Integer({ description: 'Sessions that ended, counted up to 10 000.', examples: [2] })

/** The answer of what has nothing else to say. */
export const Success = named(
  'Success',
  Type.Object({ success: Type.Boolean() }, { description: 'The request succeeded.' }),
)

// What breaks a line or changes the direction of what stands around it (Cc, Zl, Zp, Bidi_Control). In escapes that
// JavaScript, Python and Go all support, and else written out; nothing beyond U+FFFF, which programs without the flag `u` read as
// two characters.
const UNRULY = '\\x00-\\x1F\\x7F-\\x9F\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069'
// The rest of what shows nothing by itself.
const BLANK =
  ' \u00a0\u00ad\u115f\u1160\u1680\u180e\u2000-\u200d\u202f\u205f\u2060-\u2064\u2800\u3000\u3164\ufeff\uffa0'

/** A text that stays one line, and in its place, in mails and on pages. */
export const ONE_LINE = {
  pattern: `^[^${UNRULY}]*$`,
  'x-form': 'one line of text, without marks that change its direction',
}

// No character fits two parts in a row: else it would be read again and again from each of its places.
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

/** Whether a text is a name, for those that come by other ways than a request. */
export const isName = (text: string) => text.length <= MAX_NAME && new RegExp(NAME_PATTERN, 'u').test(text)

const WEEK_SECONDS = 604_800

/** For how long what a new secret replaces works beside it; by default it ends at once. */
export function overlapSeconds(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: WEEK_SECONDS, default: 0, examples: [3600], description }))
}
