import { expect, test } from 'vitest'
import { spanInWords } from './span.ts'

test.each([
  [1, '1 minute'],
  [119, '1 minute'],
  [300, '5 minutes'],
  [3600, '60 minutes'],
  [7199, '119 minutes'],
  [86_400, '24 hours'],
  [604_800, '7 days'],
])('%i seconds are %s', (seconds, words) => {
  expect(spanInWords(seconds)).toBe(words)
})
