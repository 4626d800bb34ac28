/** What JSON can say. */
export type ScimValue = string | number | boolean | null | ScimValue[] | ScimObject

/** A resource, or a complex value. Names that would reach a prototype never come to be in one (normalise.ts). */
export interface ScimObject {
  [name: string]: ScimValue
}

export function isObject(value: unknown): value is ScimObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The property itself, never what objects inherit. */
export function own(object: ScimObject, name: string): ScimValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** RFC 7643 §2.5: null and the empty array say the same as nothing. */
export function isUnassigned(value: ScimValue | undefined): value is null | undefined {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Whether two values say the same, whatever the order of names. */
export function isSame(one: ScimValue | undefined, other: ScimValue | undefined): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSame(item, other[at]))
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}

/** A name as an object spells it, where it has it in any case. */
export function spellingIn(object: ScimObject, name: string): string {
  const wanted = name.toLowerCase()
  return Object.keys(object).find((key) => key.toLowerCase() === wanted) ?? name
}
