import { quoted, ScimLanguageError } from '../language/error.ts'
import { MAX_FILTER_LENGTH, readElementFilter, type ScimFilter } from '../language/filter.ts'
import { isAtEnd, isName, isUrn, openReader, peek, type Reader, readName, takeWord } from '../language/reader.ts'
import type { AttributeName } from '../language/schema.ts'

/** The path of a PATCH operation (RFC 7644 §3.5.2): `[URN ":"] name ["[" filter "]"] ["." part]`. */
export interface ScimPath {
  attribute: AttributeName
  filter: ScimFilter | null
}

/** The longest path without its filter, in characters. */
const MAX_NAME_LENGTH = 512

/** Reads a path. Throws ScimLanguageError: invalidFilter for errors inside the brackets, invalidPath for all others. */
export function parsePath(text: string, reader: Reader = openReader(text, 'invalidFilter')): ScimPath {
  if (text.length > MAX_FILTER_LENGTH + MAX_NAME_LENGTH) throw notUnderstood(text)
  const word = takeWord(reader)
  const attribute = readName(word) ?? readBareUrn(word)
  if (!attribute || reader.at !== word.length) throw notUnderstood(text)
  if (isAtEnd(reader)) return { attribute, filter: null }
  if (peek(reader) !== '[' || attribute.sub !== null) throw notUnderstood(text)
  reader.at += 1
  const filter = readElementFilter(reader)
  return { attribute: { ...attribute, sub: readSub(reader, text) }, filter }
}

function readSub(reader: Reader, text: string): string | null {
  if (isAtEnd(reader)) return null
  const rest = peek(reader) === '.' ? takeWord(reader) : ''
  if (!isAtEnd(reader) || !isName(rest.slice(1))) throw notUnderstood(text)
  return rest.slice(1)
}

/** A whole extension, whose URN need not end like a name. */
function readBareUrn(word: string): AttributeName | null {
  const colon = word.lastIndexOf(':')
  if (!isUrn(word) || colon < 4 || colon === word.length - 1) return null
  return { urn: word.slice(0, colon), name: word.slice(colon + 1), sub: null }
}

function notUnderstood(text: string): ScimLanguageError {
  return new ScimLanguageError('invalidPath', `The path ${quoted(text)} is not understood.`)
}
