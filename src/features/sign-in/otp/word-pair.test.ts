import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIRST_WORDS, SECOND_WORDS } from './word-list.gen.ts'
import { codeSpaceBits, makeDigits, makeWordPair, normalizeCode } from './word-pair.ts'

/** The chi-square statistic of draws that should be uniform, and the limit that one fair run in a billion exceeds. */
function chiSquare(draws: string[], values: readonly string[]): { statistic: number; limit: number } {
  const counts = new Map(values.map((value) => [value, 0]))
  for (const draw of draws) counts.set(draw, (counts.get(draw) ?? 0) + 1)
  const expected = draws.length / values.length
  const statistic = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // Wilson–Hilferty approximation, at the 6 standard deviations of p = 1e-9.
  const freedom = values.length - 1
  const limit = freedom * (1 - 2 / (9 * freedom) + 6 * Math.sqrt(2 / (9 * freedom))) ** 3
  return { statistic, limit }
}

describe('the words', () => {
  const pairs = Array.from({ length: 100_000 }, makeWordPair)

  test('are one of each list, in lower case, with one space', () => {
    const [first, second] = [new Set(FIRST_WORDS), new Set(SECOND_WORDS)]
    for (const pair of pairs.slice(0, 5000)) {
      expect(pair).toMatch(/^[a-z]+ [a-z]+$/)
      const [one = '', two = ''] = pair.split(' ')
      expect([first.has(one), second.has(two)]).toEqual([true, true])
    }
  })

  test('are drawn evenly, and each without regard to the other', () => {
    const words = (at: number) => pairs.map((pair) => pair.split(' ')[at] ?? '')
    for (const [at, list] of [FIRST_WORDS, SECOND_WORDS].entries()) {
      const { statistic, limit } = chiSquare(words(at), list)
      expect(statistic).toBeLessThan(limit)
    }
    const group = (word: string, list: readonly string[]) => Math.floor((list.indexOf(word) * 16) / list.length)
    const cells = Array.from({ length: 256 }, (_, cell) => String(cell))
    const joint = pairs.map((pair) => {
      const [one = '', two = ''] = pair.split(' ')
      return String(group(one, FIRST_WORDS) * 16 + group(two, SECOND_WORDS))
    })
    const { statistic, limit } = chiSquare(joint, cells)
    expect(statistic).toBeLessThan(limit)
  })
})

describe('the digits', () => {
  test('are six, even in every place', () => {
    const codes = Array.from({ length: 50_000 }, () => makeDigits())
    for (const code of codes) expect(code).toMatch(/^[0-9]{6}$/)
    for (let place = 0; place < 6; place++) {
      const { statistic, limit } = chiSquare(
        codes.map((code) => code.charAt(place)),
        [...'0123456789'],
      )
      expect(statistic).toBeLessThan(limit)
    }
  })

  test('keep their number', () => {
    expect(makeDigits(8)).toMatch(/^[0-9]{8}$/)
  })
})

test('the code space has at least the 20 bits of ASVS 6.5.4, save where digits are chosen', () => {
  expect(codeSpaceBits('phrase')).toBeGreaterThanOrEqual(22)
  expect(codeSpaceBits('digit')).toBeCloseTo(19.93, 2)
  expect(codeSpaceBits('both')).toBe(codeSpaceBits('digit'))
})

describe('normalizeCode', () => {
  const separator = fc.array(fc.constantFrom(' ', '  ', '-', '_', '\t', '\u00a0', '\u2010', '\u2011', '\u2013', '\n'), {
    minLength: 1,
    maxLength: 3,
  })
  const padding = fc.constantFrom('', ' ', '\n', '\u3000 ')
  const cases = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 })
  const recase = (text: string, upper: boolean[]) =>
    [...text].map((letter, at) => (upper[at % upper.length] ? letter.toUpperCase() : letter)).join('')

  test('reads every spelling of a pair as the pair', () => {
    fc.assert(
      fc.property(separator, padding, padding, cases, (between, before, after, upper) => {
        const pair = makeWordPair()
        const typed = before + recase(pair, upper).replace(' ', between.join('')) + after
        expect(normalizeCode(typed)).toBe(pair)
      }),
    )
  })

  test('reads digits however they are grouped, and in full width', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), separator, padding, (at, between, around) => {
        const code = makeDigits()
        expect(normalizeCode(around + code.slice(0, at) + between.join('') + code.slice(at) + around)).toBe(code)
      }),
    )
    expect(normalizeCode('１２３ ４５６')).toBe('123456')
  })

  test('is at rest on what it returns, and tells different pairs apart', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const once = normalizeCode(text)
        expect(normalizeCode(once)).toBe(once)
      }),
    )
    expect(normalizeCode('amber falcon')).not.toBe(normalizeCode('amberfalcon'))
    expect(normalizeCode('amber falcon')).not.toBe(normalizeCode('falcon amber'))
  })
})
