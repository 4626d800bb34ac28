import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePath } from '../patch/path.ts'
import { ScimLanguageError } from './error.ts'
import { MAX_FILTER_LENGTH, parseFilter } from './filter.ts'
import { openReader } from './reader.ts'

// For a million texts: SCIM_TEXTS=1000000.
const RUNS = Number(process.env['SCIM_TEXTS'] ?? 10_000)

const pieces = fc.constantFrom(
  ...[
    'userName',
    'emails',
    'value',
    'name.givenName',
    'urn:ietf:params:scim:schemas:core:2.0:User:userName',
    'urn:',
    '$ref',
  ],
  ...[' ', '  ', '(', ')', '[', ']', '.', ':', '"', '\\', '\\"', '"work"', '"\\u00e9"', '"\\ud800"', '{', '\t', '\0'],
  ...['eq', 'NE', 'co', 'pr', 'gt', 'and', 'or', 'not', 'not (', ' and ', ' or ', ' eq ', ' pr', 'a pr', 'a eq 1'],
  ...['true', 'null', '1', '-1.5e9', '1e999', '__proto__', 'constructor', '漢', '😀', '\ud800', 'İ'],
)
const short = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
/** Texts up to the limit and beyond, made of repeated parts. */
const long = fc
  .tuple(fc.array(pieces, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 700 }), short)
  .map(([parts, times, end]) => parts.join('').repeat(times).slice(0, MAX_FILTER_LENGTH) + end)
const texts = fc.oneof(
  { weight: 6, arbitrary: short },
  { weight: 2, arbitrary: long },
  fc.string({ unit: 'binary', maxLength: 60 }),
)

test.each([
  ['filter', parseFilter, ['invalidFilter']],
  ['path', parsePath, ['invalidFilter', 'invalidPath']],
])(
  'any text is a %s or refused as none, and looked at a few times at most',
  (_, parse, reasons) => {
    let understood = 0
    fc.assert(
      fc.property(texts, (text) => {
        const reader = openReader(text, 'invalidFilter')
        try {
          parse(text, reader)
          understood += 1
        } catch (error) {
          if (!(error instanceof ScimLanguageError)) throw error
          expect(reasons).toContain(error.scimType)
        }
        expect(reader.steps).toBeLessThanOrEqual(4 * text.length + 4)
      }),
      { numRuns: RUNS },
    )
    expect(understood).toBeGreaterThan(RUNS / 1_000)
  },
  120_000 + RUNS,
)
