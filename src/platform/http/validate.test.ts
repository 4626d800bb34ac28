import { setTimeout as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { ApiError, type FieldError } from '../errors.ts'
import { checkedApart } from '../schema.ts'
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
  const tooLong = [{ field: 'name', code: 'maxLength', message: 'name must not have more than 4 characters' }]
  for (const name of ['abcde', '😀😀😀😀😀', 'x'.repeat(100_000)]) expect(errorsOfName(name)).toEqual(tooLong)
  const tooShort = [{ field: 'name', code: 'minLength', message: 'name must not have fewer than 2 characters' }]
  for (const name of ['', 'a', '😀']) expect(errorsOfName(name), name).toEqual(tooShort)
})

test('what must have something is told not to be empty', () => {
  const Filled = { text: Type.String({ minLength: 1 }), list: Type.Array(Type.Any(), { minItems: 1 }) }
  const filled = compileValidator(Type.Object(Filled), 'body')
  const told = (body: object) => errorsOf(() => filled(body)).map(({ code, message }) => [code, message])
  expect(told({ text: '', list: [] })).toEqual([
    ['minLength', 'text must not be empty'],
    ['minItems', 'list must not be empty'],
  ])
})

test('what is of another type is told in words', () => {
  const orNull = Type.Unsafe({ type: ['string', 'null'] })
  const typed = compileValidator(Type.Object({ count: Type.Integer(), on: Type.Boolean(), name: orNull }), 'body')
  expect(errorsOf(() => typed({ count: '1', on: 1, name: {} })).map(({ message }) => message)).toEqual([
    'count must be an integer',
    'on must be true or false',
    'name must be a string or null',
  ])
  expect(errorsOf(() => typed([]))).toEqual([{ field: '', code: 'type', message: 'The body must be an object' }])
})

test('a name that the request chose is told as it was sent, if not at any length', () => {
  const mapped = compileValidator(Type.Object({ roles: Type.Record(Type.String(), Type.String()) }), 'body')
  const fieldsOf = (roles: object) => errorsOf(() => mapped({ roles })).map(({ field }) => field)
  expect(fieldsOf({ 'it/~ops~1': 1 })).toEqual(['roles.it/~ops~1'])
  expect(fieldsOf({ ['x'.repeat(10_000)]: 1 })).toEqual([`roles.${'x'.repeat(194)}`])
})

test('of a value that was refused nothing is held, whichever validator saw it last', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const typed = compileValidator(Type.Object({ count: Type.Integer() }), 'body')
  const refuse = () => {
    const body = { password: 'correct horse' }
    expect(codesOf(() => typed(body))).toEqual(['required'])
    return new WeakRef(body)
  }
  const refused = [refuse(), refuse()]
  await turn(0)
  collect()
  expect(refused.map((body) => body.deref())).toEqual([undefined, undefined])
})

test('a text that is too long is told so, and no pattern reads one of any length', () => {
  const short = compileValidator(Type.Object({ slug: Type.String({ maxLength: 3, pattern: '^[a-z]+$' }) }), 'body')
  const refused = ['A'.repeat(7), 'ABCDE', 'ABC'].map((slug) => codesOf(() => short({ slug })))
  expect(refused).toEqual([['maxLength'], ['maxLength', 'pattern'], ['pattern']])
})

/** Values that count how often they are read. */
function watched(count: number) {
  const looks = { count: 0 }
  const get = (target: object, key: string | symbol) => {
    looks.count++
    return Reflect.get(target, key)
  }
  const ownKeys = () => {
    looks.count++
    return ['a']
  }
  const values = Array.from({ length: count }, () => new Proxy({ a: 1 }, { get, ownKeys }))
  return { values, looks }
}

test('of a million values no more are looked at than any request needs', () => {
  const open = compileValidator(Type.Object({ list: Type.Array(Type.Any()) }), 'body')
  const { values, looks } = watched(100_000)
  expect(errorsOf(() => open({ list: values }))).toEqual([
    { field: 'list.4999', code: 'size', message: 'list.4999 exceeds the limit of 10000 values in the body' },
  ])
  expect(looks.count).toBeLessThan(11_000)
  expect(errorsOf(() => open({ list: Array.from({ length: 9000 }, () => 1) }))).toEqual([])
})

test('a list that is checked apart is looked at by its rule alone', () => {
  const list = checkedApart(Type.Optional(Type.Array(Type.Object({ a: Type.Integer() }))))
  const apart = compileValidator(Type.Object({ list, name: Type.Optional(Type.String()) }), 'body')
  const { values, looks } = watched(100_000)
  expect(errorsOf(() => apart({ list: values }))).toEqual([])
  expect(looks.count).toBe(0)
  expect(codesOf(() => apart({ list: 5 }))).toEqual(['type'])
  expect(codesOf(() => apart({ list: [], name: '\u0000' }))).toEqual(['encoding'])
})
