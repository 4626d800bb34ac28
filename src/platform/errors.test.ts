import { expect, test } from 'vitest'
import { defineErrors, errorCatalogue } from './errors.ts'

const first = defineErrors({ worn: [409, 'test_worn', 'Worn', 'It is worn.'] })

test('a code has one owner: defined again it throws, however alike', () => {
  const again = () => defineErrors({ worn: [409, 'test_worn', 'Worn', 'It is worn.'] })
  expect(again).toThrow('Error code test_worn is defined twice')
  const twice = () => defineErrors({ a: [400, 'test_twice', 'A', 'A.'], b: [400, 'test_twice', 'A', 'A.'] })
  expect(twice).toThrow('Error code test_twice is defined twice')
})

test('a code that has two statuses by contract answers each of them, and stands in the catalogue once', () => {
  const { mixed } = defineErrors({ mixed: [[401, 400], 'test_mixed', 'Mixed', 'Either.'] })
  const other = mixed.as(400)
  expect([mixed.status, mixed().definition.status]).toEqual([401, 401])
  expect([other.status, other().definition.status, other.code, other.help]).toEqual([400, 400, 'test_mixed', 'Either.'])
  expect(other.as(401).status).toBe(401)
  expect(errorCatalogue().filter(({ code }) => code === 'test_mixed')).toEqual([
    { status: 401, code: 'test_mixed', title: 'Mixed', help: 'Either.', members: {} },
  ])
  expect(() => mixed.as(403)).toThrow('Error code test_mixed is not defined with status 403')
  expect(() => first.worn.as(400)).toThrow('Error code test_worn is not defined with status 400')
})
