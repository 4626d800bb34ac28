import { expect, test } from 'vitest'
import { createShares } from './shares.ts'

test('whoever has the most gives way, what was used longest ago first', () => {
  const shares = createShares<string>(100)
  const put = (owner: string, key: string, weight: number) => shares.set(owner, key, { value: key, weight })
  put('small', 'a', 10)
  for (const key of ['b', 'c', 'd']) put('large', key, 30)
  expect(shares.get('large', 'b')).toBe('b')
  put('large', 'e', 30)
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => shares.get(key === 'a' ? 'small' : 'large', key))).toEqual([
    'a',
    'b',
    undefined,
    'd',
    'e',
  ])
  expect(shares.weight()).toBe(100)
})

test('a flood of one owner pushes out nothing of others, nor grows beyond the bound', () => {
  const shares = createShares<number>(1000)
  for (let n = 0; n < 20; n++) shares.set(`owner-${n}`, 'a', { value: n, weight: 10 })
  for (let n = 0; n < 5000; n++) {
    shares.set('flood', `k${n}`, { value: n, weight: 7 })
    expect(shares.weight()).toBeLessThanOrEqual(1000)
  }
  for (let n = 0; n < 20; n++) expect(shares.get(`owner-${n}`, 'a')).toBe(n)
  expect([shares.get('flood', 'k4999'), shares.get('flood', 'k0')]).toEqual([4999, undefined])
})

test('what is replaced or deleted weighs nothing, and what is too heavy is not kept', () => {
  const shares = createShares<string>(10)
  shares.set('a', 'k', { value: 'old', weight: 8 })
  shares.set('a', 'k', { value: 'new', weight: 3 })
  expect([shares.get('a', 'k'), shares.weight()]).toEqual(['new', 3])
  shares.delete('a', 'k')
  shares.delete('a', 'k')
  expect([shares.get('a', 'k'), shares.weight()]).toEqual([undefined, 0])
  shares.set('b', 'k', { value: 'huge', weight: 11 })
  expect([shares.get('b', 'k'), shares.weight()]).toEqual([undefined, 0])
})
