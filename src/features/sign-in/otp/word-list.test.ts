import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FIRST_WORDS, SECOND_WORDS } from './word-list.gen.ts'

function readWords(file: string): string[] {
  const text = readFileSync(new URL(`../../../../test/word-list/${file}`, import.meta.url), 'utf8')
  return text.replaceAll(/^#.*$/gm, '').split(/\s+/).filter(Boolean)
}

/** Pairs at Damerau–Levenshtein distance 1: one letter replaced, added, left out, or two neighbours swapped. */
function findNearPairs(words: readonly string[]): string[] {
  const known = new Set(words)
  const withBlank = new Map<string, string>()
  const pairs: string[] = []
  for (const word of words) {
    for (let at = 0; at < word.length; at++) {
      const head = word.slice(0, at)
      const tail = word.slice(at + 1)
      const other = withBlank.get(`${head}_${tail}`)
      if (other !== undefined) pairs.push(`${other}/${word}`)
      withBlank.set(`${head}_${tail}`, word)
      if (known.has(head + tail)) pairs.push(`${head + tail}/${word}`)
      const swapped = head + tail.slice(0, 1) + word.charAt(at) + tail.slice(1)
      if (swapped < word && known.has(swapped)) pairs.push(`${swapped}/${word}`)
    }
  }
  return pairs
}

/** Plurals, verb forms, comparatives and -y/-ly adjectives, with the spelling changes English makes. */
function inflect(word: string): string[] {
  const stems = [word, word + word.slice(-1)]
  if (word.endsWith('e')) stems.push(word.slice(0, -1))
  const forms = stems.flatMap((stem) => ['s', 'es', 'ed', 'ing', 'er', 'est', 'y', 'ly'].map((ending) => stem + ending))
  if (!word.endsWith('y')) return forms
  return [...forms, ...['es', 'ed', 'er', 'est', 'ly'].map((ending) => `${word.slice(0, -1)}i${ending}`)]
}

function findInflectedPairs(words: readonly string[]): string[] {
  const known = new Set(words)
  return words.flatMap((word) => inflect(word).flatMap((form) => (known.has(form) ? [`${word}/${form}`] : [])))
}

function findListed(words: readonly string[], unwanted: readonly string[]): string[] {
  const set = new Set(unwanted)
  return words.filter((word) => set.has(word))
}

const homophones = readWords('homophones.txt').flatMap((group) => group.split('/'))
const dialectSpellings = readWords('dialect-spellings.txt')
const unsuitable = readWords('unsuitable-topics.txt')
const obsceneHashes = readWords('obscene-words.sha256.txt')

function hashWord(word: string): string {
  return createHash('sha256').update(word).digest('hex').slice(0, 12)
}

describe.each([
  ['FIRST_WORDS', FIRST_WORDS],
  ['SECOND_WORDS', SECOND_WORDS],
])('%s', (_name, words) => {
  test('has 2 048 words of 3 to 8 letters a to z, in order, each once', () => {
    expect(words).toHaveLength(2048)
    expect(words.filter((word) => !/^[a-z]{3,8}$/.test(word))).toEqual([])
    expect([...new Set(words)].sort()).toEqual(words)
  })

  test('has no two words that one slip of the finger turns into each other', () => {
    expect(findNearPairs(words)).toEqual([])
  })

  test('has no word and its plural or other inflected form', () => {
    expect(findInflectedPairs(words)).toEqual([])
  })

  test('has no word that sounds like another common word', () => {
    expect(findListed(words, homophones)).toEqual([])
  })

  test('has no word spelled differently in American and British English', () => {
    expect(findListed(words, dialectSpellings)).toEqual([])
  })

  test('has no word that a customer should not find in a login mail', () => {
    expect(findListed(words, unsuitable)).toEqual([])
    expect(findListed(words.map(hashWord), obsceneHashes)).toEqual([])
  })
})

test('the lists share no word, so a phrase typed in the wrong order never validates', () => {
  expect(findListed(FIRST_WORDS, SECOND_WORDS)).toEqual([])
})

test('there are at least 2^22 phrases (OWASP ASVS 5.0 6.5.4 asks for 20 bits)', () => {
  expect(FIRST_WORDS.length * SECOND_WORDS.length).toBeGreaterThanOrEqual(2 ** 22)
})

// Finding nothing above proves something only if the finders work.
describe('the checks', () => {
  test.each([
    [['stone', 'store'], 'stone/store'],
    [['form', 'from'], 'form/from'],
    [['car', 'cart'], 'car/cart'],
    [['every', 'very'], 'very/every'],
  ])('take %j for a near pair', (words, pair) => {
    expect(findNearPairs(words)).toEqual([pair])
  })

  test.each([
    ['otter', 'otters'],
    ['berry', 'berries'],
    ['dance', 'dancing'],
    ['trim', 'trimmed'],
    ['sand', 'sandy'],
  ])('take %s and %s for one word', (base, form) => {
    expect(findInflectedPairs([base, form])).toEqual([`${base}/${form}`])
  })

  test('leave distant words alone', () => {
    expect(findNearPairs(['amber', 'falcon', 'meadow'])).toEqual([])
    expect(findInflectedPairs(['amber', 'falcon', 'meadow'])).toEqual([])
  })

  test.each([
    ['homophones', homophones, ['pear', 'pair', 'sail', 'sale', 'flour', 'flower']],
    ['spellings', dialectSpellings, ['colour', 'color', 'harbour', 'harbor']],
    ['topics', unsuitable, ['coffin', 'pistol', 'heroin', 'invoice']],
  ])('know their %s', (_name, unwanted, samples) => {
    expect(findListed(samples, unwanted)).toEqual(samples)
  })

  test('know obscene words by their hash', () => {
    expect(obsceneHashes).toContain(hashWord('porn'))
    expect(obsceneHashes).not.toContain(hashWord('amber'))
  })
})
