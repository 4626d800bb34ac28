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

/** A field that may be null. */
export function nullable<S extends TSchema>(schema: S, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}

/** A text of an answer, which is one of these; what the database has is not checked once more. */
export function oneOf(values: readonly string[], options: { description?: string; examples?: string[] } = {}) {
  return Type.Unsafe<string>({ type: 'string', enum: [...values], ...options })
}

/** The answer of what has nothing else to say. */
export const Success = named('Success', Type.Object({ success: Type.Boolean() }, { description: 'It is done.' }))

/** A text without control characters (Cc), in escapes that JavaScript, Python and Go all support. */
export const ONE_LINE = { pattern: '^[^\\x00-\\x1F\\x7F-\\x9F]*$', 'x-form': 'one line of text' }

const WEEK_SECONDS = 604_800

/** For how long what a new secret replaces works beside it; by default it ends at once. */
export function overlapSeconds(description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: WEEK_SECONDS, default: 0, examples: [3600], description }))
}
