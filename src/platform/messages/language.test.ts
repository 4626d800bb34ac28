import { expect, test } from 'vitest'
import { acceptedLocales, chooseLanguage, exactSpanInWords, momentInWords, spanInWords } from './language.ts'

test.each<[(string | null)[], string]>([
  [[], 'en'],
  [[null, null], 'en'],
  [['de-AT'], 'de'],
  [['zh-Hant-TW'], 'en'],
  [['nl', 'fr-BE', 'de'], 'fr'],
  [[null, 'ja'], 'ja'],
  [['pt-BR'], 'pt-BR'],
  [['pt-PT'], 'pt-BR'],
  [['es-419', 'en'], 'es'],
  [['frr', 'den'], 'en'],
])('of %s the language is %s', (locales, language) => {
  expect(chooseLanguage(...locales)).toBe(language)
})

test.each([
  [1, '1 minute'],
  [119, '1 minute'],
  [300, '5 minutes'],
  [3600, '60 minutes'],
  [7199, '119 minutes'],
  [86_400, '24 hours'],
  [604_800, '7 days'],
])('%i seconds are %s', (seconds, words) => {
  expect(spanInWords('en', seconds)).toBe(words)
})

test.each([
  ['', []],
  ['de-at', ['de-AT']],
  ['da, en-gb;q=0.8, en;q=0.7, ja;q=0.9', ['da', 'ja', 'en-GB', 'en']],
  ['fr;q=0, *, es;q=x, de ; q=0.5', ['de']],
  [`${'en,'.repeat(100)}de`, Array.from({ length: 20 }, () => 'en')],
])('a browser that sends %j asks for %j', (header, locales) => {
  expect(acceptedLocales(header)).toEqual(locales)
})

test('a span is in the words of a language, without spaces that text messages lack', () => {
  expect((['de', 'fr', 'es', 'pt-BR', 'ja'] as const).map((language) => spanInWords(language, 604_800))).toEqual([
    ...['7 Tage', '7 jours', '7 días', '7 dias', '7日'],
  ])
  expect([exactSpanInWords('en', 90), exactSpanInWords('fr', 1), exactSpanInWords('de', 179)]).toEqual([
    ...['90 seconds', '1 seconde', '2 Minuten'],
  ])
})

test('a moment is in the form of a language, in UTC', () => {
  const at = new Date('2026-03-01T13:05:00Z')
  expect((['en', 'de', 'fr', 'es', 'pt-BR', 'ja'] as const).map((language) => momentInWords(language, at))).toEqual([
    '1 March 2026 at 13:05 UTC',
    '1. März 2026 um 13:05 UTC',
    '1 mars 2026 à 13:05 UTC',
    '1 de marzo de 2026 a las 13:05 UTC',
    '1 de março de 2026 às 13:05 UTC',
    '2026年3月1日 13:05 UTC',
  ])
})
