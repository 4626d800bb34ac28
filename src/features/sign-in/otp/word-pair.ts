import { randomInt } from 'node:crypto'
import { FIRST_WORDS, SECOND_WORDS } from './word-list.gen.ts'

/** What a code consists of: two words, six digits, or either. */
export type OtpMode = 'phrase' | 'digit' | 'both'

const DIGITS = 6

/** Two random words in lower case with one space between, such as `amber falcon`. */
export function makeWordPair(): string {
  return `${pick(FIRST_WORDS)} ${pick(SECOND_WORDS)}`
}

/** Random digits, including leading zeros. */
export function makeDigits(count = DIGITS): string {
  return String(randomInt(10 ** count)).padStart(count, '0')
}

/**
 * Converts a typed code to the form that is hashed. Accepts any case, surrounding white space, and between words a
 * space, hyphen, underscore or dash (mail programs turn hyphens into dashes). Drops separators between digits.
 */
export function normalizeCode(text: string): string {
  // The common case: typed exactly as it was mailed.
  if (/^[a-z]+ [a-z]+$/.test(text)) return text
  const spaced = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_\p{Pd}]+/gu, ' ')
    .trim()
  const joined = spaced.replaceAll(' ', '')
  return /^[0-9]+$/.test(joined) ? joined : spaced
}

/** The entropy of a code in bits. ASVS 6.5.4 requires at least 20, which only digits do not reach. */
export function codeSpaceBits(mode: OtpMode): number {
  const phrase = Math.log2(FIRST_WORDS.length * SECOND_WORDS.length)
  const digit = DIGITS * Math.log2(10)
  // In mode `both` either form passes, so the weaker one counts.
  return { phrase, digit, both: Math.min(phrase, digit) }[mode]
}

// randomInt draws without modulo bias.
function pick(words: readonly string[]): string {
  const word = words[randomInt(words.length)]
  if (word === undefined) throw new Error('The word list is empty')
  return word
}
