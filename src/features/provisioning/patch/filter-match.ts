import type { ScimComparison, ScimFilter, ScimOperator } from '../language/filter.ts'
import { isObject, isUnassigned, own, type ScimObject, type ScimValue } from '../language/json.ts'
import { type Comparable, type Operand, parseDateTime, readOperand } from '../language/operand.ts'
import {
  type AttributeName,
  findSubAttribute,
  locateAttribute,
  type ScimAttribute,
  type ScimResourceType,
} from '../language/schema.ts'
import { type Budget, costOfText, spend } from './budget.ts'

/** The values that a name in the filter finds, and how they are compared. */
interface Found {
  values: ScimValue[]
  comparable: Comparable | null
}
type Find = (name: AttributeName) => Found

/**
 * Whether the filter selects one value of a multi-valued attribute. Throws ScimLanguageError: invalidFilter for
 * comparisons that the type does not support, tooMany if the budget is used up.
 */
export function matchesElement(
  attribute: ScimAttribute | null,
  element: ScimValue,
  filter: ScimFilter,
  budget: Budget,
): boolean {
  return evaluate(filter, (name) => findPart(attribute, element, name.name), budget)
}

/** Whether a whole resource matches. The result is the same as that of filter-sql.ts for rows. */
export function matchesResource(type: ScimResourceType, resource: ScimObject, filter: ScimFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((each) => matchesResource(type, resource, each))
    case 'or':
      return filter.filters.some((each) => matchesResource(type, resource, each))
    case 'not':
      return !matchesResource(type, resource, filter.filter)
    default:
      return matchesAttribute(type, resource, filter)
  }
}

type AttributeFilter = Extract<ScimFilter, { attribute: AttributeName }>

function matchesAttribute(type: ScimResourceType, resource: ScimObject, filter: AttributeFilter): boolean {
  const budget = { left: Number.POSITIVE_INFINITY }
  const place = locateAttribute(type, filter.attribute)
  const holder = place.urn === null ? resource : own(resource, place.urn)
  const value = isObject(holder) ? own(holder, place.name ?? '') : undefined
  const values = listOf(value, place.attribute)
  if (filter.kind === 'elements')
    return values.some((element) => matchesElement(place.attribute, element, filter.filter, budget))
  const find = (): Found =>
    place.sub === null
      ? { values: values.map(wholeOf), comparable: comparableOf(place.attribute) }
      : {
          values: values.map((element) => (isObject(element) ? (own(element, place.sub ?? '') ?? null) : null)),
          comparable: comparableOf(place.subAttribute),
        }
  return evaluate(filter, find, budget)
}

function evaluate(filter: ScimFilter, find: Find, budget: Budget): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((each) => evaluate(each, find, budget))
    case 'or':
      return filter.filters.some((each) => evaluate(each, find, budget))
    case 'not':
      return !evaluate(filter.filter, find, budget)
    case 'present':
      return arePresent(find(filter.attribute).values, budget)
    case 'compare':
      return compareFound(find(filter.attribute), filter, budget)
    case 'elements':
      return false
  }
}

function compareFound({ values, comparable }: Found, comparison: ScimComparison, budget: Budget): boolean {
  spend(budget, costOfText(comparison.value, ...values))
  const operand = readOperand(comparable ?? guessComparable(comparison), comparison)
  if (operand.kind === 'nothing') return arePresent(values, budget) !== (comparison.operator === 'eq')
  if (comparison.operator === 'ne') return values.some((value) => !compareValue(value, 'eq', operand))
  return values.some((value) => compareValue(value, comparison.operator, operand))
}

function compareValue(
  value: ScimValue,
  operator: ScimOperator,
  operand: Exclude<Operand, { kind: 'nothing' }>,
): boolean {
  switch (operand.kind) {
    case 'text':
      return typeof value === 'string' && compareText(value, operator, operand)
    case 'boolean':
      return value === operand.value
    case 'number':
      return typeof value === 'number' && holds(operator, value - operand.value)
    case 'instant': {
      const instant = typeof value === 'string' ? parseDateTime(value) : null
      return instant !== null && holds(operator, instant.getTime() - operand.value.getTime())
    }
  }
}

function compareText(value: string, operator: ScimOperator, operand: Extract<Operand, { kind: 'text' }>): boolean {
  const [one, other] = operand.caseExact ? [value, operand.value] : [value.toLowerCase(), operand.value.toLowerCase()]
  if (operator === 'co') return one.includes(other)
  if (operator === 'sw') return one.startsWith(other)
  if (operator === 'ew') return one.endsWith(other)
  return one === other ? holds(operator, 0) : holds(operator, Buffer.compare(Buffer.from(one), Buffer.from(other)))
}

function holds(operator: ScimOperator, difference: number): boolean {
  switch (operator) {
    case 'gt':
      return difference > 0
    case 'ge':
      return difference >= 0
    case 'lt':
      return difference < 0
    case 'le':
      return difference <= 0
    default:
      return difference === 0
  }
}

/** Null, the empty text and a complex value without parts count as no value (RFC 7643 §2.5, RFC 7644 table 3). */
function arePresent(values: ScimValue[], budget: Budget): boolean {
  return values.some((value) => {
    spend(budget, 1)
    return isObject(value) ? arePresent(Object.values(value), budget) : !isUnassigned(value) && value !== ''
  })
}

function findPart(attribute: ScimAttribute | null, element: ScimValue, name: string): Found {
  const part = findSubAttribute(attribute, name)
  if (!isObject(element)) return { values: [name.toLowerCase() === 'value' ? element : null], comparable: null }
  return { values: [own(element, part?.name ?? name) ?? null], comparable: comparableOf(part) }
}

/** A multi-valued attribute without values matches nothing. A single-valued attribute without a value is null. */
function listOf(value: ScimValue | undefined, attribute: ScimAttribute | null): ScimValue[] {
  if (Array.isArray(value)) return value
  return isUnassigned(value) && attribute?.multiValued ? [] : [value ?? null]
}

function wholeOf(element: ScimValue): ScimValue {
  return isObject(element) && Object.hasOwn(element, 'value') ? (own(element, 'value') ?? null) : element
}

function comparableOf(attribute: ScimAttribute | null): Comparable | null {
  if (attribute?.type === 'complex') return comparableOf(findSubAttribute(attribute, 'value'))
  return attribute && { type: attribute.type, caseExact: attribute.caseExact }
}

/** For attributes that no schema knows, the value determines the type. */
function guessComparable({ value }: ScimComparison): Comparable {
  const type = typeof value === 'number' ? 'decimal' : typeof value === 'boolean' ? 'boolean' : 'string'
  return { type, caseExact: false }
}
