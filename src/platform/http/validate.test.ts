import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { ApiError, type FieldError } from '../errors.ts'
import { compileValidator } from './validate.ts'

const validate = compileValidator(Type.Object({ name: Type.String({ minLength: 2, maxLength: 4 }) }), 'body')

function errorsOf(validated: () => void): FieldError[] {
  try {
    validated()
  } catch (error) {
    if (error instanceof ApiError) return error.details.errors ?? []
    throw error
  }
  return []
}

const codesOf = (validated: () => void) => errorsOf(validated).map(({ code }) => code)
const errorsOfName = (name: string) => errorsOf(() => validate({ name }))

test('lengths are counted in characters, whatever their size in memory', () => {
  for (const name of ['ab', 'abcd', '😀😀', '😀😀😀😀', 'é😀ß']) expect(errorsOfName(name), name).toEqual([])
  const tooLong = [{ field: 'name', code: 'maxLength', message: 'name must NOT have more than 4 characters' }]
  for (const name of ['abcde', '😀😀😀😀😀', 'x'.repeat(100_000)]) expect(errorsOfName(name)).toEqual(tooLong)
  const tooShort = [{ field: 'name', code: 'minLength', message: 'name must NOT have fewer than 2 characters' }]
  for (const name of ['', 'a', '😀']) expect(errorsOfName(name), name).toEqual(tooShort)
})

test('a text that is too long is told so, and no pattern reads it', () => {
  const short = compileValidator(Type.Object({ slug: Type.String({ maxLength: 3, pattern: '^[a-z]+$' }) }), 'body')
  const refused = Array.from([() => short({ slug: 'ABCDE' }), () => short({ slug: 'ABC' })], codesOf)
  expect(refused).toEqual([['maxLength', 'pattern'], ['pattern']])
})
