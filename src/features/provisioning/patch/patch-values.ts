import { quoted, ScimLanguageError } from '../language/error.ts'
import type { ScimFilter } from '../language/filter.ts'
import { isObject, isSame, isUnassigned, own, type ScimObject, type ScimValue, spellingIn } from '../language/json.ts'
import { checkElements, isPrimary, normaliseSingle, normaliseValue } from '../language/normalise.ts'
import { readTruth } from '../language/operand.ts'
import { type AttributePlace, findSubAttribute, type ScimAttribute } from '../language/schema.ts'
import { type Budget, costOf, spend, widthOf } from './budget.ts'
import { matchesElement } from './filter-match.ts'
import type { PatchOperation } from './patch-operations.ts'
import type { ScimPath } from './path.ts'

/** One operation on one attribute. */
export interface Change extends PatchOperationParts {
  /** The resource or its extension. */
  holder: ScimObject
  place: AttributePlace
  path: ScimPath
  /** The path as it was written. */
  text: string
  budget: Budget
}

type PatchOperationParts = Pick<PatchOperation, 'op' | 'value'>

/** Changes the holder's value of the attribute. Throws ScimLanguageError. */
export function changeAttribute(change: Change): void {
  const { holder, place, op } = change
  const name = nameOf(change)
  const now = own(holder, name)
  if (op === 'remove' && place.attribute?.required)
    throw new ScimLanguageError('mutability', `${name} is required and cannot be removed.`)
  const isMany = place.attribute ? place.attribute.multiValued : Array.isArray(now) || change.path.filter !== null
  const next = isMany ? changeMany(change, elementsOf(now)) : changeOne(change, now)
  if (Array.isArray(next)) checkElements(next.length, name)
  if (isUnassigned(next) || (isObject(next) && Object.keys(next).length === 0)) delete holder[name]
  else holder[name] = next
}

function changeOne(change: Change, now: ScimValue | undefined): ScimValue | undefined {
  const { place, op, value, budget } = change
  spend(budget, widthOf(now))
  if (place.sub !== null) {
    const parts = isObject(now) ? { ...now } : {}
    setPart(change, parts)
    return parts
  }
  if (op === 'remove') return undefined
  if (isUnassigned(value)) return op === 'add' ? now : undefined
  const next = place.attribute ? normaliseValue(place.attribute, value) : value
  if (next === undefined) return op === 'add' ? now : undefined
  // RFC 7644 §3.5.2.1, §3.5.2.3: parts that are not named stay.
  return isObject(now) && isObject(next) ? { ...withoutNulls(now, value), ...next } : next
}

/** Removes parts that the operation sets to null. */
function withoutNulls(now: ScimObject, value: ScimValue): ScimObject {
  if (!isObject(value)) return now
  const nulls = new Set(
    Object.keys(value)
      .filter((name) => isUnassigned(value[name]))
      .map((name) => name.toLowerCase()),
  )
  return Object.fromEntries(Object.entries(now).filter(([name]) => !nulls.has(name.toLowerCase())))
}

function changeMany(change: Change, now: ScimValue[]): ScimValue[] {
  const { path, place, op } = change
  if (path.filter) return changeSelected(change, now, path.filter)
  if (place.sub !== null) return changeParts(change, now, op === 'remove' || now.length > 0 ? now : [{}])
  if (op === 'remove') return removeValues(change, now)
  const value = change.value ?? null
  if (isUnassigned(value)) return op === 'add' ? now : []
  const incoming = elementsOf(place.attribute ? normaliseValue(place.attribute, value) : value)
  if (op === 'replace') return incoming
  spend(change.budget, weightOf(incoming) * (now.length + incoming.length))
  return settlePrimary(...addValues(now, incoming), change)
}

function changeSelected(change: Change, now: ScimValue[], filter: ScimFilter): ScimValue[] {
  const { place, op, budget, text } = change
  const selected = new Set(now.filter((element) => matchesElement(place.attribute, element, filter, budget)))
  if (selected.size === 0) return op === 'remove' ? refuseTarget(text) : createSelected(change, now, filter)
  if (place.sub !== null) return changeParts(change, now, selected)
  if (op === 'remove') return now.filter((element) => !selected.has(element))
  const value = readElement(change)
  if (value === undefined) return op === 'add' ? now : now.filter((element) => !selected.has(element))
  for (const element of selected) spend(budget, widthOf(element) + widthOf(value))
  const touched: ScimValue[] = []
  const next = now.map((element) => {
    if (!selected.has(element)) return element
    const changed = isObject(value) ? { ...(op === 'add' && isObject(element) ? element : {}), ...value } : value
    touched.push(changed)
    return changed
  })
  return settlePrimary(next, touched, change)
}

/** Microsoft Entra sets `emails[type eq "work"].value` even if the user has no such address. */
function createSelected(change: Change, now: ScimValue[], filter: ScimFilter): ScimValue[] {
  const { place, text } = change
  const created = readEqualities(filter, place.attribute)
  if (!created) return refuseTarget(text)
  if (isUnassigned(change.value)) return now
  if (place.sub !== null) setPart(change, created)
  else {
    const value = readElement(change)
    if (!isObject(value))
      throw new ScimLanguageError('invalidValue', `The value for ${quoted(text)} has to be an object.`)
    Object.assign(created, value)
  }
  return settlePrimary([...now, created], [created], change)
}

/** The values that an element needs to match the filter. Null if the filter uses more than equality. */
function readEqualities(filter: ScimFilter, attribute: ScimAttribute | null): ScimObject | null {
  if (filter.kind === 'and') {
    const all = filter.filters.map((each) => readEqualities(each, attribute))
    return all.includes(null) ? null : Object.assign({}, ...all)
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.value === null) return null
  const part = findSubAttribute(attribute, filter.attribute.name)
  const value = part?.type === 'boolean' ? readTruth(filter.value) : filter.value
  return { [part?.name ?? filter.attribute.name]: value }
}

/** Sets or removes one part of the selected elements. */
function changeParts(change: Change, now: ScimValue[], selected: Iterable<ScimValue>): ScimValue[] {
  const chosen = new Set(selected)
  const touched: ScimValue[] = []
  const base = now.length === 0 ? [...chosen] : now
  const next = base.map((element) => {
    if (!chosen.has(element) || !isObject(element)) return element
    spend(change.budget, widthOf(element))
    const changed = { ...element }
    setPart(change, changed)
    touched.push(changed)
    return changed
  })
  return settlePrimary(
    next.filter((element) => !isObject(element) || Object.keys(element).length > 0),
    touched,
    change,
  )
}

function setPart({ place, op, value, text }: Change, element: ScimObject): void {
  const { sub, subAttribute } = place
  if (sub === null) return
  if (subAttribute?.mutability === 'immutable' && own(element, sub) !== undefined && !isSame(own(element, sub), value))
    throw new ScimLanguageError('mutability', `${quoted(text)} cannot be changed.`)
  if (op === 'add' && isUnassigned(value)) return
  const next =
    op === 'remove' || value === undefined
      ? undefined
      : subAttribute
        ? normaliseValue(subAttribute, value, text)
        : value
  if (isUnassigned(next)) delete element[sub]
  else element[sub] = next
}

/**
 * RFC 7644 does not define a remove with a value, but Microsoft Entra sends it. It removes only the values that it
 * names.
 */
function removeValues({ value, place, budget }: Change, now: ScimValue[]): ScimValue[] {
  if (value === undefined || value === null) return []
  const named = elementsOf(value)
  spend(budget, weightOf(named) * now.length)
  return now.filter((element) => !named.some((each) => isNamed(element, each, place.attribute)))
}

/** The cost of comparing values with another one, which is usually one look at each. */
function weightOf(values: ScimValue[]): number {
  return values.reduce<number>((weight, value) => weight + Math.max(1, costOf(value) / 8), 0)
}

function isNamed(element: ScimValue, named: ScimValue, attribute: ScimAttribute | null): boolean {
  if (!isObject(named)) return isSame(isObject(element) ? own(element, 'value') : element, named)
  if (!isObject(element)) return false
  const parts = Object.entries(named).filter(([, part]) => !isUnassigned(part))
  return (
    parts.length > 0 &&
    parts.every(([name, part]) => isSame(own(element, findSubAttribute(attribute, name)?.name ?? name), part))
  )
}

/**
 * Values that exist are not added again (RFC 7644 §3.5.2.1), nor is a second value of the same type (RFC 7643 §2.4).
 */
function addValues(now: ScimValue[], incoming: ScimValue[]): [ScimValue[], ScimValue[]] {
  const next = [...now]
  const touched: ScimValue[] = []
  for (const element of incoming) {
    const at = next.findIndex((other) => isSameValue(other, element))
    const there = next[at]
    const merged = isObject(there) && isObject(element) ? { ...there, ...element } : element
    if (at < 0) next.push(merged)
    else next[at] = merged
    touched.push(merged)
  }
  return [next, touched]
}

function isSameValue(one: ScimValue, other: ScimValue): boolean {
  if (!isObject(one) || !isObject(other) || own(one, 'value') === undefined) return isSame(one, other)
  return isSame(own(one, 'value'), own(other, 'value')) && isSame(own(one, 'type'), own(other, 'type'))
}

/**
 * RFC 7644 §3.5.2: a new primary value replaces the old primary one. Throws ScimLanguageError if there would be two
 * new ones.
 */
function settlePrimary(next: ScimValue[], touched: ScimValue[], { text }: Change): ScimValue[] {
  const primaries = next.filter(isPrimary)
  if (primaries.length < 2) return next
  const changed = new Set(touched)
  const chosen = primaries.filter((element) => changed.has(element))
  if (chosen.length !== 1)
    throw new ScimLanguageError('invalidValue', `${quoted(text)} would have more than one primary value.`)
  return next.map((element) =>
    isObject(element) && isPrimary(element) && element !== chosen[0] ? { ...element, primary: false } : element,
  )
}

function readElement({ place, value, text }: Change): ScimValue | undefined {
  const single = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (isUnassigned(single)) return undefined
  return place.attribute ? normaliseSingle(place.attribute, single ?? null, text) : single
}

function elementsOf(value: ScimValue | undefined): ScimValue[] {
  if (Array.isArray(value)) return value
  return isUnassigned(value) ? [] : [value]
}

function nameOf({ place, text, holder }: Change): string {
  if (place.name === null) throw new ScimLanguageError('invalidPath', `${quoted(text)} is no path to an attribute.`)
  return place.attribute ? place.name : spellingIn(holder, place.name)
}

function refuseTarget(text: string): never {
  throw new ScimLanguageError('noTarget', `${quoted(text)} selects nothing.`)
}
