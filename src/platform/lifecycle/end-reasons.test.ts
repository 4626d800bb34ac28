import { expect, test } from 'vitest'
import { endReasons as password } from '../../features/sign-in/password/end-reasons.ts'
import { defineEndReasons, endReasons } from './end-reasons.ts'

test('a reason has one owner, who spells it as verifiers read it', () => {
  expect(password).toEqual({ password_changed: 'password_changed' })
  expect(endReasons()).toContain('password_changed')
  expect(() => defineEndReasons('password_changed')).toThrow('The reason password_changed is defined twice')
})
