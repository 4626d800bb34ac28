import { quoted, ScimLanguageError } from '../language/error.ts'
import { isObject, isSame, isUnassigned, own, type ScimObject, type ScimValue, spellingIn } from '../language/json.ts'
import { checkRequired, checkSize, isSchemaOf } from '../language/normalise.ts'
import { isDangerous } from '../language/reader.ts'
import { type AttributePlace, findExtension, locateAttribute, type ScimResourceType } from '../language/schema.ts'
import { type Budget, spend, widthOf } from './budget.ts'
import type { PatchOperation } from './patch-operations.ts'
import { changeAttribute } from './patch-values.ts'
import { parsePath, type ScimPath } from './path.ts'

export { type MemberChanges, type ScimMember, splitMemberOperations, takeMembers } from './members.ts'
export { type PatchOperation, readPatch } from './patch-operations.ts'

/** The limit for everything that the operations of a PATCH examine: names, and values that are compared or copied. */
const MAX_COST = 100_000

interface Patch {
  type: ScimResourceType
  draft: ScimObject
  budget: Budget
}

/**
 * Applies all operations in order (RFC 7644 §3.5.2) and returns a new resource. The resource must be in canonical
 * spelling and include read-only values, because setting a read-only value to its current value is allowed. Throws
 * ScimLanguageError.
 */
export function applyPatch(type: ScimResourceType, resource: ScimObject, operations: PatchOperation[]): ScimObject {
  const patch: Patch = { type, draft: structuredClone(resource), budget: { left: MAX_COST } }
  for (const { op, path, value } of operations) {
    if (path !== null) applyAt(patch, op, path, value)
    else applyEach(patch, op, value)
  }
  checkRequired(type, patch.draft)
  checkSize(patch.draft)
  return patch.draft
}

/** Without a path, the value names the attributes. Microsoft Entra writes the names as paths: `"name.givenName"`. */
function applyEach(patch: Patch, op: PatchOperation['op'], value: ScimValue | undefined): void {
  if (op === 'remove') throw new ScimLanguageError('noTarget', 'A remove needs a path.')
  if (!isObject(value))
    throw new ScimLanguageError('invalidValue', 'Without a path, the value has to be an object of attributes.')
  for (const [key, part] of Object.entries(value)) applyAt(patch, op, key, part)
}

function applyAt(patch: Patch, op: PatchOperation['op'], text: string, value: ScimValue | undefined): void {
  // The name is searched for among all existing names.
  spend(patch.budget, widthOf(patch.draft))
  const path = parsePath(text)
  if (isSchemaOf(patch.type, text)) throw new ScimLanguageError('invalidPath', `${quoted(text)} is no attribute.`)
  if (op !== 'remove' && value === undefined)
    throw new ScimLanguageError('invalidValue', `The operation on ${quoted(text)} has no value.`)
  const extension = findWholeExtension(patch, path, value)
  if (extension !== null) {
    applyToExtension(patch, op, extension, value)
    return
  }
  const place = locateAttribute(patch.type, path.attribute)
  checkPath(place, path, text)
  // The service decides which schemas a resource lists (RFC 7643 §3.1).
  if (place.urn === null && place.name === 'schemas') return
  if (isReadOnly(place)) {
    if (op === 'remove' || !saysTheSame(patch.draft, place, value))
      throw new ScimLanguageError('mutability', `${quoted(text)} is read-only.`)
    return
  }
  const urn = place.urn === null ? null : spellingIn(patch.draft, place.urn)
  const holder = openHolder(patch.draft, urn)
  if (urn !== null) spend(patch.budget, widthOf(holder))
  changeAttribute({ holder, place, path, op, value, text, budget: patch.budget })
  if (urn !== null && Object.keys(holder).length === 0) delete patch.draft[urn]
}

/**
 * The key of the extension that a path means as a whole. For an unknown extension, the existing or the new value
 * decides.
 */
function findWholeExtension(patch: Patch, path: ScimPath, value: ScimValue | undefined): string | null {
  const { urn, name, sub } = path.attribute
  if (urn === null || sub !== null || path.filter) return null
  const whole = spellingIn(patch.draft, `${urn}:${name}`)
  const known = findExtension(patch.type, whole)
  if (known) return known.schema.id
  if (isOf(patch.type, urn)) return null
  return isObject(own(patch.draft, whole)) || isObject(value) ? whole : null
}

function isOf(type: ScimResourceType, urn: string): boolean {
  return urn.toLowerCase() === type.schema.id.toLowerCase() || findExtension(type, urn) !== null
}

function applyToExtension(patch: Patch, op: PatchOperation['op'], urn: string, value: ScimValue | undefined): void {
  if (op === 'remove' || (op === 'replace' && isUnassigned(value))) {
    delete patch.draft[urn]
    return
  }
  if (!isObject(value)) throw new ScimLanguageError('invalidValue', `${quoted(urn)} has to be an object.`)
  if (findExtension(patch.type, urn)) {
    for (const [key, part] of Object.entries(value)) applyAt(patch, op, `${urn}:${key}`, part)
    return
  }
  const parts = Object.entries(value).filter(([, part]) => !isUnassigned(part))
  const there = openHolder(patch.draft, urn)
  spend(patch.budget, widthOf(there))
  patch.draft[urn] = Object.fromEntries([...Object.entries(there), ...parts])
}

/** The extension's object, or the resource itself. */
function openHolder(draft: ScimObject, urn: string | null): ScimObject {
  if (urn === null) return draft
  const holder = own(draft, urn)
  if (isObject(holder)) return holder
  const opened: ScimObject = {}
  draft[urn] = opened
  return opened
}

function checkPath({ name, attribute, sub }: AttributePlace, { filter }: ScimPath, text: string): void {
  const isSimple = attribute !== null && attribute.type !== 'complex'
  if (name === null || isDangerous(name) || (isSimple && sub !== null))
    throw new ScimLanguageError('invalidPath', `${quoted(text)} is no path to an attribute.`)
  if (filter && attribute && !attribute.multiValued)
    throw new ScimLanguageError('invalidPath', `${quoted(text)}: ${attribute.name} has no values to choose from.`)
}

function isReadOnly({ attribute, subAttribute }: AttributePlace): boolean {
  return attribute?.mutability === 'readOnly' || subAttribute?.mutability === 'readOnly'
}

/** Okta sends the id of a group among the values that it sets, which is allowed if it is unchanged. */
function saysTheSame(draft: ScimObject, place: AttributePlace, value: ScimValue | undefined): boolean {
  const holder = place.urn === null ? draft : own(draft, place.urn)
  const whole = isObject(holder) ? own(holder, place.name ?? '') : undefined
  const now = place.sub !== null && isObject(whole) ? own(whole, place.sub) : whole
  if (place.name === 'id' && typeof now === 'string' && typeof value === 'string')
    return now.toLowerCase() === value.toLowerCase()
  return isSame(now, value)
}
