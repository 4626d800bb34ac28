import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeBackupCodes, readBackupCode } from './backup-codes.ts'

test('ten codes of fifty bits, each found by a first character of its own', () => {
  for (let round = 0; round < 200; round++) {
    const codes = makeBackupCodes()
    expect(codes).toHaveLength(10)
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z](-[0-9A-HJKMNP-TV-Z]{5}){2}$/)
    expect(new Set(codes.map((code) => code.charAt(0))).size).toBe(10)
  }
})

test('a code reads the same however it is typed', () => {
  const [code = ''] = makeBackupCodes()
  const read = readBackupCode(code)
  const typed = fc.array(fc.constantFrom('', ' ', '-', '_'), { minLength: 30, maxLength: 30 })
  fc.assert(
    fc.property(typed, fc.boolean(), (gaps, lower) => {
      const plain = [...code.replaceAll('-', '')].map((character, i) => character + (gaps[i] ?? '')).join('')
      expect(readBackupCode(lower ? plain.toLowerCase() : plain)).toEqual(read)
    }),
  )
  expect(readBackupCode('0-11111-0000l')).toEqual(readBackupCode('o-ILIli-OO0o1'))
})

test.each(['', '123456', '0-11111-1111', '0-11111-111111', 'U-11111-11111', '0-11111-1111é'])('%j is none', (text) =>
  expect(readBackupCode(text)).toBeNull(),
)
