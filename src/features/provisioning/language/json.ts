/** A JSON value. */
export type ScimValue = string | number | boolean | null | ScimValue[] | ScimObject

/** A resource or a complex value. Names that would reach a prototype are never added (normalise.ts). */
export interface ScimObject {
  [name: string]: ScimValue
}

export function isObject(value: unknown): value is ScimObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads the object's own property, never an inherited one. */
export function own(object: ScimObject, name: string): ScimValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** RFC 7643 §2.5: null and the empty array mean the same as no value. */
export function isUnassigned(value: ScimValue | undefined): value is null | undefined {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Whether two values are equal, regardless of the order of names. */
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

/** The spelling of a name in an object that has it in any case. */
export function spellingIn(object: ScimObject, name: string): string {
  const wanted = name.toLowerCase()
  return Object.keys(object).find((key) => key.toLowerCase() === wanted) ?? name
}
