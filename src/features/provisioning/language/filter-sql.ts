import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { beginsWith } from '../../../platform/db/prefix.ts'
import { quoted, ScimLanguageError } from './error.ts'
import type { ScimComparison, ScimFilter, ScimOperator } from './filter.ts'
import { type Comparable, type Operand, readOperand } from './operand.ts'
import { type AttributeName, attributeKey } from './schema.ts'

/** An attribute with a single value. */
export interface FilterColumn extends Comparable {
  kind: 'column'
  /** Text, boolean, numeric or timestamptz, depending on the type. */
  value: Expression<unknown>
  /**
   * For a text that is compared regardless of case: an expression equal to `lower(value)` for which there is an index.
   * By default `lower(value)`.
   */
  folded?: Expression<unknown>
}

/**
 * An id, compared as text, because filters may compare it with any text. It can only be compared as a whole: a part of
 * an id means nothing, and searching for one would read every row for each comparison. `caseExact` is false where RFC
 * 7643 §8.7.1 says so.
 */
export function idTarget(text: Expression<unknown>, { caseExact }: { caseExact: boolean }): FilterColumn {
  return { kind: 'column', type: 'string', caseExact, value: text, folded: text, operators: ['eq', 'ne'] }
}

/** A multi-valued attribute. */
export interface FilterElements {
  kind: 'elements'
  /** The columns of one value, by the names of its parts. `value` stands for the whole value. */
  parts: Record<string, FilterColumn>
  /** Whether the row has a value for which the condition holds. */
  exists(condition: Expression<SqlBool>): Expression<SqlBool>
  /**
   * The text for sorting rows: the primary value, or else the first (RFC 7644 §3.4.2.3). If absent, rows cannot be
   * sorted by this attribute.
   */
  sort?: Expression<unknown>
}

/** A complex attribute for which filters can only test whether it is present. */
export interface FilterPresence {
  kind: 'presence'
  present: Expression<SqlBool>
}

export type FilterTarget = FilterColumn | FilterElements | FilterPresence

/** The attributes that filters may name, by keys that `attributeKey` makes. */
export type FilterTargets = ReadonlyMap<string, FilterTarget>

/**
 * Defines the attributes that filters may name. Names have the form `userName`, `name.givenName` or
 * `urn:…:User:department`. Parts of multi-valued attributes are added automatically.
 */
export function defineFilterTargets(targets: Record<string, FilterTarget>): FilterTargets {
  return new Map(Object.entries(targets).map(([name, target]) => [name.toLowerCase(), withParts(target)]))
}

function withParts(target: FilterTarget): FilterTarget {
  if (target.kind !== 'elements') return target
  const parts = Object.entries(target.parts).map(([name, column]) => [name.toLowerCase(), column] as const)
  return { ...target, parts: Object.fromEntries(parts) }
}

/**
 * Compiles a filter to a condition for `where`. It is true for rows that match, and false or null for all others.
 * Throws ScimLanguageError (invalidFilter) for unknown attributes, and for comparisons that their types do not
 * support.
 */
export function compileFilter(filter: ScimFilter, targets: FilterTargets): RawBuilder<SqlBool> {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joinConditions(
        filter.kind,
        filter.filters.map((each) => compileFilter(each, targets)),
      )
    case 'not':
      return negate(compileFilter(filter.filter, targets))
    case 'elements': {
      const target = getTarget(targets, filter.attribute)
      if (target.kind !== 'elements') throw unsupported(filter.attribute, 'has no values to choose from')
      return compileElements(target, filter.filter)
    }
    case 'present':
    case 'compare':
      return compileCondition(filter, targets)
  }
}

/** The same attributes, for resources that never have a value of them (RFC 7644 §3.4.2.1). */
export function withoutValues(targets: FilterTargets): FilterTargets {
  return new Map([...targets].map(([name, target]) => [name, withoutValue(target)]))
}

function withoutValue(target: FilterTarget): FilterTarget {
  if (target.kind === 'presence') return { ...target, present: sql`false` }
  if (target.kind === 'elements')
    return { ...target, exists: () => sql`false`, ...(target.sort ? { sort: sql`null::text` } : {}) }
  const nothing = sql`null::${NOTHING[target.type]}`
  return { ...target, value: nothing, folded: nothing }
}

const NOTHING = {
  string: sql`text`,
  reference: sql`text`,
  binary: sql`text`,
  boolean: sql`boolean`,
  decimal: sql`numeric`,
  integer: sql`numeric`,
  dateTime: sql`timestamptz`,
}

/** How often a filter tests values of multi-valued attributes. Each test is a subquery. */
export function countQuestions(filter: ScimFilter, targets: FilterTargets): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, each) => sum + countQuestions(each, targets), 0)
    case 'not':
      return countQuestions(filter.filter, targets)
    default:
      return findTarget(targets, { ...filter.attribute, sub: null })?.kind === 'elements' ? 1 : 0
  }
}

type Condition = Extract<ScimFilter, { kind: 'present' | 'compare' }>

function compileCondition(filter: Condition, targets: FilterTargets): RawBuilder<SqlBool> {
  const found = findTarget(targets, filter.attribute)
  if (found?.kind === 'column') return filter.kind === 'present' ? isPresent(found) : compare(found, filter)
  if (found?.kind === 'presence' && filter.kind === 'present') return sql`(${found.present})`
  if (found?.kind === 'presence') throw unsupported(filter.attribute, 'has parts; one of them has to be named')
  if (found) return compileAnyElement(found, namePart(filter, 'value'))
  // RFC 7644 §3.4.2.2: for a multi-valued attribute, one value has to match.
  const { sub } = filter.attribute
  const whole = sub === null ? null : findTarget(targets, { ...filter.attribute, sub: null })
  if (sub !== null && whole?.kind === 'elements' && Object.hasOwn(whole.parts, sub.toLowerCase()))
    return compileAnyElement(whole, namePart(filter, sub))
  throw unsupported(filter.attribute, 'is not an attribute that can be searched')
}

function namePart(filter: Condition, name: string): Condition {
  return { ...filter, attribute: { urn: null, name, sub: null } }
}

/** One value has to match. A comparison with null matches if there is no value. */
function compileAnyElement(target: FilterElements, filter: Condition): RawBuilder<SqlBool> {
  if (filter.kind === 'compare' && filter.value === null && filter.operator === 'eq')
    return negate(compileElements(target, { kind: 'present', attribute: filter.attribute }))
  return compileElements(target, filter)
}

function compileElements(target: FilterElements, filter: ScimFilter): RawBuilder<SqlBool> {
  return sql`(${target.exists(compileFilter(filter, new Map(Object.entries(target.parts))))})`
}

function joinConditions(kind: 'and' | 'or', conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql`(${sql.join(conditions, kind === 'and' ? sql` and ` : sql` or `)})`
}

/** Negates null to true as well: what is not known to be true counts as false. */
function negate(condition: Expression<SqlBool>): RawBuilder<SqlBool> {
  return sql`((${condition}) is not true)`
}

/** RFC 7644 table 3: "a non-empty or non-null value". */
function isPresent(column: FilterColumn): RawBuilder<SqlBool> {
  return isText(column) ? sql`(${column.value} <> '')` : sql`(${column.value} is not null)`
}

function compare(column: FilterColumn, comparison: ScimComparison): RawBuilder<SqlBool> {
  const operand = readOperand(column, comparison)
  if (operand.kind === 'nothing') return comparison.operator === 'eq' ? negate(isPresent(column)) : isPresent(column)
  if (comparison.operator === 'ne') return negate(compare(column, { ...comparison, operator: 'eq' }))
  return operand.kind === 'text'
    ? compareText(column, comparison.operator, operand)
    : compareOther(column, comparison.operator, operand)
}

function compareText(
  column: FilterColumn,
  operator: ScimOperator,
  operand: Extract<Operand, { kind: 'text' }>,
): RawBuilder<SqlBool> {
  const value = operand.caseExact ? column.value : (column.folded ?? sql`lower(${column.value})`)
  const fold = (text: string) => (operand.caseExact ? sql`${text}::text` : sql`lower(${text}::text)`)
  switch (operator) {
    case 'co':
      return sql`(${value} like ${fold(`%${escapeLike(operand.value)}%`)})`
    case 'sw':
      return beginsWith(value, fold(operand.value))
    case 'ew':
      return sql`(${value} like ${fold(`%${escapeLike(operand.value)}`)})`
    case 'gt':
    case 'ge':
    case 'lt':
    case 'le':
      return sql`(${value} collate "C" ${SIGNS[operator]} ${fold(operand.value)})`
    default:
      return sql`(${value} = ${fold(operand.value)})`
  }
}

function compareOther(
  column: FilterColumn,
  operator: ScimOperator,
  operand: Exclude<Operand, { kind: 'text' | 'nothing' }>,
): RawBuilder<SqlBool> {
  const sign =
    operator === 'gt' || operator === 'ge' || operator === 'lt' || operator === 'le' ? SIGNS[operator] : sql`=`
  if (operand.kind === 'boolean') return sql`(${column.value} = ${operand.value}::boolean)`
  if (operand.kind === 'number') return sql`(${column.value} ${sign} ${operand.value}::numeric)`
  return sql`(${column.value} ${sign} ${operand.value.toISOString()}::timestamptz)`
}

const SIGNS = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` }

/** Escapes the wildcards of LIKE. */
function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

function isText(column: FilterColumn): boolean {
  return column.type === 'string' || column.type === 'reference' || column.type === 'binary'
}

function findTarget(targets: FilterTargets, attribute: AttributeName): FilterTarget | undefined {
  return targets.get(attributeKey(attribute))
}

function getTarget(targets: FilterTargets, attribute: AttributeName): FilterTarget {
  const target = findTarget(targets, attribute)
  if (!target) throw unsupported(attribute, 'is not an attribute that can be searched')
  return target
}

function unsupported(attribute: AttributeName, why: string): ScimLanguageError {
  const written = attribute.sub === null ? attribute.name : `${attribute.name}.${attribute.sub}`
  const name = attribute.urn === null ? written : `${attribute.urn}:${written}`
  return new ScimLanguageError('invalidFilter', `${quoted(name)} ${why}.`)
}

/**
 * The expression to sort by (RFC 7644 §3.4.2.3), regardless of case unless the attribute is case-exact. It is the
 * attribute's single value, or the primary one of several. Throws ScimLanguageError (invalidPath) for an unknown
 * attribute, and for one with several values and no primary one.
 */
export function compileSort(name: AttributeName, targets: FilterTargets): Expression<unknown> {
  const isValue = name.sub?.toLowerCase() === 'value'
  const target = findTarget(targets, name) ?? (isValue ? findTarget(targets, { ...name, sub: null }) : undefined)
  if (target?.kind === 'elements' && target.sort) return sql`${target.sort} collate "C"`
  if (target?.kind !== 'column')
    throw new ScimLanguageError('invalidPath', `${quoted(name.name)} is not an attribute that can be sorted by.`)
  if (!isText(target)) return target.value
  const value = target.caseExact ? target.value : (target.folded ?? sql`lower(${target.value})`)
  return sql`${value} collate "C"`
}
