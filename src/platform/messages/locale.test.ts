import { expect, test } from 'vitest'
import { canonicalLocale, foreignLocale } from './locale.ts'

test.each([
  ['de-at', 'de-AT'],
  ['PT-br', 'pt-BR'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['ca-valencia', 'ca-valencia'],
  ['iw', 'he'],
  ['de_AT', null],
  ['', null],
  ['german!', null],
  ['de-1996-1996', null],
  [`de-${'x-'.repeat(40)}a`, null],
])('%s is the locale %s', (text, locale) => {
  expect(canonicalLocale(text)).toBe(locale)
})

test.each<[unknown, string | null]>([
  ['en_US', 'en-US'],
  [' fr ', 'fr'],
  ['da, en-GB;q=0.8, en;q=0.7', 'da'],
  ['es-MX;q=1', 'es-MX'],
  ['*', null],
  ['English (United States)', null],
  [7, null],
  [undefined, null],
])('of others, %s says the locale %s', (said, locale) => {
  expect(foreignLocale(said)).toBe(locale)
})
