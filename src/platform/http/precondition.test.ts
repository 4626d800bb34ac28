import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import { matches } from './precondition.ts'

test.each([
  [null, true],
  ['*', true],
  [' * ', true],
  ['"3"', true],
  ['"1", "3"', true],
  ['"1","2"\t,"3" ', true],
  [', "1",, "3",', true],
  ['"4"', false],
  ['"33", "1,3", "*"', false],
  ['""', false],
  ['W/"3"', true],
  ['"1", W/"3"', true],
  ['W/"4"', false],
])('%j allows a change of W/"3": %s', (ifMatch, allowed) => {
  expect(matches(ifMatch, 'W/"3"')).toBe(allowed)
})

test.each([
  '',
  ' ',
  ',',
  '3',
  '"3',
  '3"',
  '"3" "4"',
  'w/"3"',
  'W/ "3"',
  "'3'",
  '*, "3"',
  '"3", *',
  '**',
  '"a b"',
  '"3";',
])('%j is refused', (ifMatch) => {
  expect(refusalOf(ifMatch)).toMatchObject({
    definition: { status: 400, code: 'invalid_request' },
    details: { errors: [{ field: 'If-Match', code: 'entity_tags' }] },
  })
})

const opaque = fc.string({
  unit: fc
    .integer({ min: 0x21, max: 0xff })
    .filter((code) => code !== 0x22 && code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 8,
})
const separator = fc.constantFrom(',', ', ', ' ,\t', ',,')

test('of any list: what is in it matches, what is not does not', () => {
  const listed = fc.array(fc.tuple(fc.boolean(), opaque), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(listed, separator, opaque, (listed, separator, text) => {
      const header = listed.map(([weak, text]) => `${weak ? 'W/' : ''}"${text}"`).join(separator)
      expect(matches(header, `W/"${text}"`)).toBe(listed.some(([, own]) => own === text))
      for (const [, own] of listed) expect(matches(header, `W/"${own}"`)).toBe(true)
    }),
  )
})

test('of any text: judged or refused, never anything else', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', ',', ' ', 'W', '/', '*', '1') })),
      (text) => {
        const refusal = refusalOf(text)
        expect(refusal === null || refusal instanceof ApiError).toBe(true)
      },
    ),
  )
})

function refusalOf(ifMatch: string): unknown {
  try {
    matches(ifMatch, 'W/"3"')
    return null
  } catch (error) {
    return error
  }
}
