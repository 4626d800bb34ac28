import { type TSchema, Type } from 'typebox'

/** The keyword that carries a schema's name into the contract. */
export const NAME = 'x-name'

/**
 * Names a schema: the contract has it once, under this name, and generated clients get a type for it. A name never
 * changes, and stands for one schema.
 */
export function named<S extends TSchema>(name: string, schema: S): S {
  return Object.assign(schema, { [NAME]: name })
}

/** A field that may be null. */
export function nullable<S extends TSchema>(schema: S, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}
