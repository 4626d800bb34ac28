import { expect, test } from 'vitest'
import { boundedMap } from './bounded-map.ts'

const keysOf = (map: ReturnType<typeof boundedMap<number>>, keys: string) => [...keys].filter((key) => map.has(key))

test('what was read or written least recently makes room', () => {
  const map = boundedMap<number>(3)
  for (const [n, key] of [...'abc'].entries()) map.set(key, n)
  expect(map.get('a')).toBe(0)
  map.set('b', 10)
  map.set('d', 3)
  expect(keysOf(map, 'abcd')).toEqual(['a', 'b', 'd'])
  expect([...map.values()]).toEqual([0, 10, 3])
})

test('to ask whether there is an entry is no use of it', () => {
  const map = boundedMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  expect(map.has('a')).toBe(true)
  map.set('c', 3)
  expect(keysOf(map, 'abc')).toEqual(['b', 'c'])
})

test('a value may be undefined or null, and an entry can be removed', () => {
  const map = boundedMap<number | null>(2)
  map.set('a', null)
  expect([map.get('a'), map.get('b')]).toEqual([null, undefined])
  map.delete('a')
  expect(map.has('a')).toBe(false)
})

test('it never holds more than its bound, and always what was used last', () => {
  const map = boundedMap<number>(50)
  // A fixed sequence in which some keys repeat.
  let state = 1
  const recent: string[] = []
  for (let n = 0; n < 5000; n++) {
    state = (state * 48_271) % 2_147_483_647
    const key = String(state % 200)
    if (n % 3 === 0) map.get(key)
    else map.set(key, n)
    if (map.has(key)) recent.push(key)
    expect([...map.values()].length).toBeLessThanOrEqual(50)
  }
  const last = [...new Set(recent.toReversed())].slice(0, 50)
  expect(last.every((key) => map.has(key))).toBe(true)
})
