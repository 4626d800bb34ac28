import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import { compileValidator } from './validate.ts'

const validate = compileValidator(Type.Object({ name: Type.String({ minLength: 2, maxLength: 4 }) }), 'body')

function errorsOf(name: string): unknown {
  try {
    validate({ name })
    return []
  } catch (error) {
    return error instanceof ApiError ? error.details.errors : error
  }
}

test('lengths are counted in characters, whatever their size in memory', () => {
  for (const name of ['ab', 'abcd', '😀😀', '😀😀😀😀', 'é😀ß']) expect(errorsOf(name), name).toEqual([])
  const tooLong = [{ field: 'name', code: 'maxLength', message: 'name must NOT have more than 4 characters' }]
  for (const name of ['abcde', '😀😀😀😀😀', 'x'.repeat(100_000)]) expect(errorsOf(name)).toEqual(tooLong)
  expect(errorsOf('😀')).toMatchObject([{ code: 'minLength' }])
})
