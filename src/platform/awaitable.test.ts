import { expect, test } from 'vitest'
import { type Awaitable, orElse, whenThere } from './awaitable.ts'

const fail = (): never => {
  throw new Error('no')
}

test('a value goes on at once, a promise when it is there; an error of the next step is thrown or rejects', async () => {
  expect(whenThere(1, (n) => n + 1)).toBe(2)
  const later = whenThere(Promise.resolve(1), (n) => n + 1)
  expect(later).toBeInstanceOf(Promise)
  expect(await later).toBe(2)
  expect(() => whenThere(1, fail)).toThrow('no')
  await expect(whenThere(Promise.resolve(1), fail)).rejects.toThrow('no')
})

test('what is thrown and what rejects are recovered from alike, once', async () => {
  const seen: unknown[] = []
  const recover = (error: unknown): Awaitable<string> => {
    seen.push(error)
    return 'instead'
  }
  const error = new Error('no')
  expect(orElse(() => 'fine', recover)).toBe('fine')
  expect(await orElse(async () => 'fine', recover)).toBe('fine')
  expect(seen).toEqual([])
  const thrown = () => {
    throw error
  }
  expect(orElse<string>(thrown, recover)).toBe('instead')
  expect(await orElse<string>(() => Promise.reject(error), recover)).toBe('instead')
  expect(seen).toEqual([error, error])
  expect(() => orElse(thrown, fail)).toThrow('no')
  await expect(orElse(() => Promise.reject(error), fail)).rejects.toThrow('no')
})
