import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { beginsWith } from '../../../platform/db/prefix.ts'
import { quoted, ScimLanguageError } from './error.ts'
import type { ScimComparison, ScimFilter, ScimOperator } from './filter.ts'
import { type Comparable, type Operand, readOperand } from './operand.ts'
import { type AttributeName, attributeKey } from './schema.ts'

/** A single value of a row. */
export interface FilterColumn extends Comparable {
  kind: 'column'
  /** Text, boolean, numeric or timestamptz, as the type says. */
  value: Expression<unknown>
  /** Of a text that is compared in any case: the same as `lower(value)`, for what is indexed otherwise. */
  folded?: Expression<unknown>
}

/**
 * An id, by its text, since what it is compared with need not be one. A part of one says nothing, and would be looked for in
 * all there are: of many members, for each comparison of a filter. `caseExact`: false where RFC 7643 §8.7.1 has it so.
 */
export function idTarget(text: Expression<unknown>, { caseExact }: { caseExact: boolean }): FilterColumn {
  return { kind: 'column', type: 'string', caseExact, value: text, folded: text, operators: ['eq', 'ne'] }
}

/** The values of a multi-valued attribute. */
export interface FilterElements {
  kind: 'elements'
  /** Columns of one value, by the names of its parts; `value` stands for the whole. */
  parts: Record<string, FilterColumn>
  /** Whether there is a value of the row of which the condition holds. */
  exists(condition: Expression<SqlBool>): Expression<SqlBool>
  /** The text that rows are sorted by: the primary value, or else the first (RFC 7644 §3.4.2.3). Absent: they are not. */
  sort?: Expression<unknown>
}

/** A complex attribute, of which only whether it is there can be asked. */
export interface FilterPresence {
  kind: 'presence'
  present: Expression<SqlBool>
}

export type FilterTarget = FilterColumn | FilterElements | FilterPresence

/** What may be asked for, by keys as `attributeKey` makes them. */
export type FilterTargets = ReadonlyMap<string, FilterTarget>

/**
 * The attributes that filters may name. Names as in `userName`, `name.givenName` or `urn:…:User:department`; the parts of
 * multi-valued ones come by themselves.
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
 * The condition that a filter says, for a where. True of what the filter matches, false or null of all else. Throws
 * ScimLanguageError (invalidFilter) for what is not among the targets, and for comparisons that their types do not have.
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

/** The same attributes of resources that have none of them (RFC 7644 §3.4.2.1). */
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

/** How often a filter asks of the values of multi-valued attributes, each of which is a query of its own. */
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
  // RFC 7644 §3.4.2.2: of a multi-valued attribute, one value has to match.
  const { sub } = filter.attribute
  const whole = sub === null ? null : findTarget(targets, { ...filter.attribute, sub: null })
  if (sub !== null && whole?.kind === 'elements' && Object.hasOwn(whole.parts, sub.toLowerCase()))
    return compileAnyElement(whole, namePart(filter, sub))
  throw unsupported(filter.attribute, 'is not an attribute that can be searched')
}

function namePart(filter: Condition, name: string): Condition {
  return { ...filter, attribute: { urn: null, name, sub: null } }
}

/** One value has to match; to be null is to have none. */
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

/** Of null too: what is not known to hold does not hold. */
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

/** The wildcards of LIKE, as themselves. */
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
 * What to order by (RFC 7644 §3.4.2.3), in any case unless the attribute is exact: a single value, or of several the primary one.
 * Throws ScimLanguageError (invalidPath) for what is not among the targets, or has several values without a primary one.
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
