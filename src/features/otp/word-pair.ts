import { randomInt } from 'node:crypto'
import { FIRST_WORDS, SECOND_WORDS } from './word-list.gen.ts'

/** What a code is made of: two words, six digits, or either of both. */
export type OtpMode = 'phrase' | 'digit' | 'both'

const DIGITS = 6

/** Two random words, lower case, one space: `amber falcon`. */
export function makeWordPair(): string {
  return `${pick(FIRST_WORDS)} ${pick(SECOND_WORDS)}`
}

/** Random digits, leading zeros kept. */
export function makeDigits(count = DIGITS): string {
  return String(randomInt(10 ** count)).padStart(count, '0')
}

/**
 * A code as people type it, in the form in which it is hashed: any case, white space around, and space, hyphen,
 * underscore or dash (as mail programs make of a hyphen) between. Digits lose what groups them.
 */
export function normalizeCode(text: string): string {
  // As it was mailed, and as most callers send it.
  if (/^[a-z]+ [a-z]+$/.test(text)) return text
  const spaced = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_\p{Pd}]+/gu, ' ')
    .trim()
  const joined = spaced.replaceAll(' ', '')
  return /^[0-9]+$/.test(joined) ? joined : spaced
}

/** Entropy in bits that a guess has to beat; ASVS 6.5.4 asks for 20 at least, save where digits are chosen. */
export function codeSpaceBits(mode: OtpMode): number {
  const phrase = Math.log2(FIRST_WORDS.length * SECOND_WORDS.length)
  const digit = DIGITS * Math.log2(10)
  // Either form of `both` passes, so the weaker one counts.
  return { phrase, digit, both: Math.min(phrase, digit) }[mode]
}

// randomInt draws without modulo bias.
function pick(words: readonly string[]): string {
  const word = words[randomInt(words.length)]
  if (word === undefined) throw new Error('The word list is empty')
  return word
}
