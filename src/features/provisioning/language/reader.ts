import { ScimLanguageError } from './error.ts'
import type { AttributeName } from './schema.ts'

/** A text that is read once, from left to right. */
export interface Reader {
  readonly text: string
  readonly reason: 'invalidFilter' | 'invalidPath'
  /** The position up to which the text was read, in characters. */
  at: number
  /** The number of open brackets. */
  depth: number
  /** The number of characters examined. At most a small multiple of the length. */
  steps: number
}

const MAX_DEPTH = 10

/** Characters that end a word: space, brackets, and the quote that starts a string. */
const ENDS = new Set([' ', '(', ')', '[', ']', '"'])
const NAME = /^(?:[A-Za-z][A-Za-z0-9_-]*|\$ref)$/i
const URN = /^urn:[!-~]+$/i
/** Names that reach an object's prototype. */
const DANGEROUS = new Set(['constructor', 'prototype', '__proto__'])

export function openReader(text: string, reason: Reader['reason']): Reader {
  return { text, reason, at: 0, depth: 0, steps: 0 }
}

export function refusal(reader: Reader, expected: string): ScimLanguageError {
  const what = reader.reason === 'invalidFilter' ? 'filter' : 'path'
  return new ScimLanguageError(
    reader.reason,
    `The ${what} is not understood at character ${reader.at + 1}: expected ${expected}.`,
  )
}

export function isAtEnd(reader: Reader): boolean {
  return reader.at >= reader.text.length
}

export function peek(reader: Reader): string {
  return reader.text.charAt(reader.at)
}

export function skipSpaces(reader: Reader): void {
  while (peek(reader) === ' ') advance(reader)
}

/** Reads a character if it comes next, after spaces. */
export function takeCharacter(reader: Reader, character: string): boolean {
  skipSpaces(reader)
  if (peek(reader) !== character) return false
  advance(reader)
  return true
}

/** Enters brackets for the duration of `read`. */
export function descend<T>(reader: Reader, read: () => T): T {
  if (reader.depth >= MAX_DEPTH) throw refusal(reader, `at most ${MAX_DEPTH} brackets within each other`)
  reader.depth += 1
  const result = read()
  reader.depth -= 1
  return result
}

/** Reads the next word, after spaces. Empty if there is none. */
export function takeWord(reader: Reader): string {
  skipSpaces(reader)
  const from = reader.at
  while (!isAtEnd(reader) && !ENDS.has(peek(reader))) advance(reader)
  return reader.text.slice(from, reader.at)
}

/** Goes back to the start of a word that was not the expected one. */
export function giveBack(reader: Reader, word: string): void {
  reader.at -= word.length
}

/** Reads a JSON string. The opening quote comes next. */
export function takeString(reader: Reader): string {
  const from = reader.at
  advance(reader)
  while (!isAtEnd(reader) && peek(reader) !== '"') {
    if (peek(reader) === '\\') advance(reader)
    advance(reader)
  }
  if (isAtEnd(reader)) throw refusal(reader, 'the quote that ends the text')
  advance(reader)
  const value = parseString(reader.text.slice(from, reader.at))
  // PostgreSQL can represent neither.
  if (value === null || value.includes('\0') || !value.isWellFormed()) {
    reader.at = from
    throw refusal(reader, 'a JSON string without null characters')
  }
  return value
}

function parseString(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

/** A name as in RFC 7644 §3.10: `[URN ":"] name ["." part]`. Null if the word is not a name. */
export function readName(word: string): AttributeName | null {
  const colon = word.lastIndexOf(':')
  const urn = colon < 0 ? null : word.slice(0, colon)
  if (urn !== null && !URN.test(urn)) return null
  const [name, sub, ...more] = word.slice(colon + 1).split('.')
  if (name === undefined || !isName(name) || (sub !== undefined && !isName(sub)) || more.length > 0) return null
  return { urn, name, sub: sub ?? null }
}

export function isName(word: string): boolean {
  return NAME.test(word) && !isDangerous(word)
}

/** Whether a name reaches an object's prototype. */
export function isDangerous(name: string): boolean {
  return DANGEROUS.has(name)
}

export function isUrn(word: string): boolean {
  return URN.test(word)
}

function advance(reader: Reader): void {
  reader.at += 1
  reader.steps += 1
}
