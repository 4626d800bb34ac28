import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { NAME, named } from './schema.ts'

test('a name is of one schema, and a schema has one name', () => {
  const schema = named('SchemaTestFirst', Type.Object({ a: Type.String() }))
  expect(schema).toHaveProperty(NAME, 'SchemaTestFirst')
  expect(() => named('SchemaTestFirst', Type.Object({ a: Type.String() }))).toThrow('SchemaTestFirst')
  expect(() => named('SchemaTestSecond', schema)).toThrow('both SchemaTestFirst and SchemaTestSecond')
  // A name whose use was refused is still available.
  expect(named('SchemaTestSecond', Type.String())).toHaveProperty(NAME, 'SchemaTestSecond')
})
