import { quoted, ScimLanguageError } from './error.ts'
import {
  descend,
  giveBack,
  isAtEnd,
  isName,
  openReader,
  peek,
  type Reader,
  readName,
  refusal,
  skipSpaces,
  takeCharacter,
  takeString,
  takeWord,
} from './reader.ts'
import type { AttributeName } from './schema.ts'

/** A filter (RFC 7644 §3.4.2.2). */
export type ScimFilter =
  | { kind: 'and' | 'or'; filters: ScimFilter[] }
  | { kind: 'not'; filter: ScimFilter }
  | { kind: 'present'; attribute: AttributeName }
  | ScimComparison
  /**
   * One element must match the whole filter: `emails[type eq "work" and value co "@"]`. Names inside are names of its
   * parts.
   */
  | { kind: 'elements'; attribute: AttributeName; filter: ScimFilter }

export interface ScimComparison {
  kind: 'compare'
  attribute: AttributeName
  operator: ScimOperator
  value: string | number | boolean | null
}

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type ScimOperator = (typeof OPERATORS)[number]

/** The longest filter, in characters. */
export const MAX_FILTER_LENGTH = 2_048

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?$/i
const OPERATOR_NAMES: ReadonlyMap<string, ScimOperator> = new Map(OPERATORS.map((operator) => [operator, operator]))

/** Reads a filter in time proportional to its length. Throws ScimLanguageError (invalidFilter). */
export function parseFilter(text: string, reader: Reader = openReader(text, 'invalidFilter')): ScimFilter {
  if (text.length > MAX_FILTER_LENGTH)
    throw new ScimLanguageError('invalidFilter', `A filter has at most ${MAX_FILTER_LENGTH} characters.`)
  const filter = readAlternatives(reader, readAttribute)
  skipSpaces(reader)
  if (!isAtEnd(reader)) throw refusal(reader, '"and", "or" or the end')
  return filter
}

/** Reads the filter inside the brackets after a multi-valued attribute. The opening bracket was already read. */
export function readElementFilter(reader: Reader): ScimFilter {
  const filter = descend(reader, () => readAlternatives(reader, readPart))
  if (!takeCharacter(reader, ']')) throw refusal(reader, '"and", "or" or "]"')
  return filter
}

/** Reads the name of an attribute. */
type ReadName = (reader: Reader) => AttributeName

function readAlternatives(reader: Reader, readName: ReadName): ScimFilter {
  return readChain(reader, 'or', () => readChain(reader, 'and', () => readTerm(reader, readName)))
}

function readChain(reader: Reader, kind: 'and' | 'or', read: () => ScimFilter): ScimFilter {
  const first = read()
  const filters = [first]
  while (takeKeyword(reader, kind)) filters.push(read())
  return filters.length === 1 ? first : { kind, filters }
}

function readTerm(reader: Reader, readName: ReadName): ScimFilter {
  if (takeCharacter(reader, '(')) return readGroup(reader, readName)
  if (takeKeyword(reader, 'not')) {
    if (takeCharacter(reader, '(')) return { kind: 'not', filter: readGroup(reader, readName) }
    throw refusal(reader, '"(" after "not"')
  }
  const attribute = readName(reader)
  return peek(reader) === '[' ? readElements(reader, attribute, readName) : readCondition(reader, attribute)
}

function readGroup(reader: Reader, readName: ReadName): ScimFilter {
  const filter = descend(reader, () => readAlternatives(reader, readName))
  if (!takeCharacter(reader, ')')) throw refusal(reader, '"and", "or" or ")"')
  return filter
}

function readElements(reader: Reader, attribute: AttributeName, readName: ReadName): ScimFilter {
  if (readName === readPart || attribute.sub !== null) throw refusal(reader, 'an operator')
  takeCharacter(reader, '[')
  const filter = readElementFilter(reader)
  // Not in the grammar, but Microsoft Entra sends it to match people by an address: emails[…].value eq "…".
  if (peek(reader) !== '.') return { kind: 'elements', attribute, filter }
  const part = takeWord(reader).slice(1)
  if (!isName(part)) throw refusal(reader, 'the name of a part')
  const condition = readCondition(reader, { urn: null, name: part, sub: null })
  return { kind: 'elements', attribute, filter: { kind: 'and', filters: [filter, condition] } }
}

function readCondition(reader: Reader, attribute: AttributeName): ScimFilter {
  const word = takeWord(reader)
  if (word.toLowerCase() === 'pr') return { kind: 'present', attribute }
  const operator = OPERATOR_NAMES.get(word.toLowerCase())
  if (operator) return { kind: 'compare', attribute, operator, value: readValue(reader) }
  giveBack(reader, word)
  throw refusal(reader, `one of ${OPERATORS.join(', ')}, pr`)
}

function readValue(reader: Reader): ScimComparison['value'] {
  skipSpaces(reader)
  if (peek(reader) === '"') return takeString(reader)
  const word = takeWord(reader)
  const literal = word.toLowerCase()
  if (literal === 'true' || literal === 'false') return literal === 'true'
  if (literal === 'null') return null
  const number = NUMBER.test(word) ? Number(word) : Number.NaN
  if (Number.isFinite(number)) return number
  giveBack(reader, word)
  throw refusal(reader, 'a JSON string, number, true, false or null')
}

function readAttribute(reader: Reader): AttributeName {
  const word = takeWord(reader)
  const name = readName(word)
  if (name) return name
  giveBack(reader, word)
  throw refusal(reader, `the name of an attribute${word === '' ? '' : ` instead of ${quoted(word)}`}`)
}

function readPart(reader: Reader): AttributeName {
  const word = takeWord(reader)
  if (isName(word)) return { urn: null, name: word, sub: null }
  giveBack(reader, word)
  throw refusal(reader, 'the name of a part')
}

/** Reads a keyword if it comes next, in any case. Does not match a longer word that begins with it. */
function takeKeyword(reader: Reader, keyword: string): boolean {
  const word = takeWord(reader)
  if (word.toLowerCase() === keyword) return true
  giveBack(reader, word)
  return false
}
