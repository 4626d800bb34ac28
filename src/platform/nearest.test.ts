import { expect, test } from 'vitest'
import { editDistance, findNearest } from './nearest.ts'

const known = ['email', 'otp_id', 'subOrgId', 'access_token_ttl_seconds', 'id', 'code']

test.each([
  ['emial', 'email'],
  ['Email', 'email'],
  ['otpId', 'otp_id'],
  ['sub_org_id', 'subOrgId'],
  ['acces_token_ttl_second', 'access_token_ttl_seconds'],
  ['cod', 'code'],
  ['password', null],
  ['xy', null],
  ['', null],
  ['e'.repeat(10_000), null],
])('%s resembles %s', (name, expected) => {
  expect(findNearest(name, known)).toBe(expected)
})

test('letters added, dropped, replaced and swapped count one each', () => {
  expect(
    [
      ['', ''],
      ['a', ''],
      ['ab', 'ba'],
      ['abc', 'abd'],
      ['kitten', 'sitting'],
      ['PORT', 'POTR'],
    ].map(([a = '', b = '']) => editDistance(a, b)),
  ).toEqual([0, 1, 1, 1, 3, 1])
})
