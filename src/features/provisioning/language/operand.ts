import { quoted, ScimLanguageError } from './error.ts'
import type { ScimComparison, ScimOperator } from './filter.ts'
import type { ScimAttribute } from './schema.ts'

/** The properties of an attribute that decide how its values are compared. */
export interface Comparable {
  type: Exclude<ScimAttribute['type'], 'complex'>
  caseExact: boolean
  /** The only operators that are supported. If absent, all operators of the type. */
  operators?: readonly ScimOperator[]
}

/** The value with which an attribute is compared. */
export type Operand =
  | { kind: 'text'; value: string; caseExact: boolean }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'number'; value: number }
  | { kind: 'instant'; value: Date }
  /** RFC 7643 §2.5: null means no value. */
  | { kind: 'nothing' }

const TEXTS = new Set(['string', 'reference', 'binary'])
const NUMBERS = new Set(['decimal', 'integer'])
const WITHIN_TEXT = new Set<ScimOperator>(['co', 'sw', 'ew'])
const EQUALITY = new Set<ScimOperator>(['eq', 'ne'])
// xsd:dateTime (RFC 7643 §2.3.5), in the years that both JavaScript and PostgreSQL support.
const DATE_TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:Z|[+-]\d\d:\d\d)?$/i

/** Interprets a comparison for an attribute (RFC 7644 table 3). Throws ScimLanguageError (invalidFilter). */
export function readOperand(comparable: Comparable, comparison: ScimComparison): Operand {
  const { operator, value } = comparison
  const { type, operators } = comparable
  if (operators && !operators.includes(operator))
    throw new ScimLanguageError(
      'invalidFilter',
      `${comparison.attribute.name} cannot be compared by ${operator} here, but by ${operators.join(', ')} or pr.`,
    )
  if (value === null && EQUALITY.has(operator)) return { kind: 'nothing' }
  if (TEXTS.has(type) && typeof value === 'string' && (type !== 'binary' || !isOrder(operator)))
    return { kind: 'text', value, caseExact: comparable.caseExact || type === 'binary' }
  const truth = type === 'boolean' && EQUALITY.has(operator) ? readTruth(value) : null
  if (truth !== null) return { kind: 'boolean', value: truth }
  if (NUMBERS.has(type) && typeof value === 'number' && !WITHIN_TEXT.has(operator)) return { kind: 'number', value }
  const instant = type === 'dateTime' && typeof value === 'string' ? parseDateTime(value) : null
  if (instant && !WITHIN_TEXT.has(operator)) return { kind: 'instant', value: instant }
  throw new ScimLanguageError(
    'invalidFilter',
    `${comparison.attribute.name} is of the type ${type} and cannot be compared by ${operator} with ${quoted(String(value))}.`,
  )
}

function isOrder(operator: ScimOperator): boolean {
  return !EQUALITY.has(operator) && !WITHIN_TEXT.has(operator)
}

/** Microsoft Entra sends `primary eq "True"`. */
export function readTruth(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  return word === 'true' || word === 'false' ? word === 'true' : null
}

/** Parses a time to the millisecond. Without a zone it is UTC. Returns null if the text is not a time. */
export function parseDateTime(text: string): Date | null {
  if (!DATE_TIME.test(text)) return null
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}Z`
  const instant = new Date(zoned.toUpperCase())
  return Number.isNaN(instant.getTime()) || instant.getUTCFullYear() < 1 || instant.getUTCFullYear() > 9999
    ? null
    : instant
}
