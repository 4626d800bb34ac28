import { expect, test } from 'vitest'
import { purposeNames } from '../../../../../test/people/mailed-links.ts'
import '../../../../wiring/routes.ts'
import { defineLinkPurpose, defineMailedPurpose, mailedPurposes, purposeOfType } from './purposes.ts'

test('a type stands for one purpose, for good, and the tests of mailed links know every one', () => {
  const known = Object.fromEntries(mailedPurposes().map(({ type }) => [type, purposeOfType(type)?.name]))
  expect(known).toEqual(purposeNames)
  for (const type of ['password_change', 'password_reset', 'constructor', '__proto__', 'Signup', ''])
    expect(purposeOfType(type), type).toBeUndefined()
})

test('a purpose has one owner, and so has a type', () => {
  expect(() => defineMailedPurpose('invite', 'another')).toThrow('The purpose invite of links is defined twice')
  expect(() => defineMailedPurpose('another', 'invite')).toThrow('The type invite of links is defined twice')
  expect(() => defineLinkPurpose('password_change')).toThrow('The purpose password_change of links is defined twice')
  expect(purposeOfType('another')).toBeUndefined()
})
