import { expect, test } from 'vitest'
import { linkTypes, purposeNames } from '../../../test/mailed-links.ts'
import '../../routes.ts'
import { defineLinkPurpose, defineMailedPurpose, mailedPurposes, purposeOfType } from './purposes.ts'

test('a type stands for one purpose, for good, and the tests of mailed links know every one', () => {
  expect(Object.fromEntries(linkTypes.map((type) => [type, purposeOfType(type)?.name]))).toEqual(purposeNames)
  expect(mailedPurposes().map(({ type }) => type)).toHaveLength(linkTypes.length)
  for (const type of ['password_change', 'password_reset', 'constructor', '__proto__', 'Signup', ''])
    expect(purposeOfType(type), type).toBeUndefined()
})

test('a purpose has one owner, and so has a type', () => {
  expect(() => defineMailedPurpose('invite', 'another')).toThrow('The purpose invite of links is defined twice')
  expect(() => defineMailedPurpose('another', 'invite')).toThrow('The type invite of links is defined twice')
  expect(() => defineLinkPurpose('password_change')).toThrow('The purpose password_change of links is defined twice')
  expect(purposeOfType('another')).toBeUndefined()
})
